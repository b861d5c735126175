"""Commitments: what somebody owes, when it is due, and how it moves on. `resolve` settles blockers, too."""
