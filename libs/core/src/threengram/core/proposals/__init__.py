"""Proposals of background work: shown, accepted, rejected, and an accepted edge taken back. Nothing applies itself."""

from threengram.core.proposals.review import required_scope, review_proposals
from threengram.core.proposals.undo import undo_proposal

__all__ = ["required_scope", "review_proposals", "undo_proposal"]
