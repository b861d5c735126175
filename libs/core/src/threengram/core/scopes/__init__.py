"""Scopes: where a memory is filed, the names a scope answers to, and what a read without one means."""
