"""Consolidation: what a newer memory makes of an older one, and what facts it states; proposed, never applied."""
