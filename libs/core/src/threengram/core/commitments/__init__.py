"""Commitments: what somebody owes, when it is due, and how it moves on. `resolve` settles blockers, too."""

from threengram.core.commitments.resolve import resolve
from threengram.core.commitments.sweep import mark_due

__all__ = ["mark_due", "resolve"]
