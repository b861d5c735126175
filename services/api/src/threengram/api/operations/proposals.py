"""Suggestions of background work."""

from threengram.api.operations.operation import Operation
from threengram.core.proposals import review_proposals, undo_proposal
from threengram.schema.enums import OAuthScope
from threengram.schema.proposals import (
    ReviewProposalsInput,
    ReviewProposalsOutput,
    UndoProposalInput,
    UndoProposalOutput,
)

REVIEW_PROPOSALS = Operation(
    name="review_proposals",
    method="POST",
    path="/proposals",
    title="Review proposals",
    description="One `action`: list needs `memory:read`, accept and reject `memory:write`.",
    tag="proposals",
    scope=None,
    input=ReviewProposalsInput,
    output=ReviewProposalsOutput,
    handler=review_proposals,
    can_be_missing=True,
    can_conflict=True,
)

UNDO_PROPOSAL = Operation(
    name="undo_proposal",
    method="POST",
    path="/proposals/{proposalId}/undo",
    title="Take an accepted edge back",
    description="The older memory is valid again, unless something newer took over or its content is live once more.",
    tag="proposals",
    scope=OAuthScope.MEMORY_WRITE,
    input=UndoProposalInput,
    output=UndoProposalOutput,
    handler=undo_proposal,
    is_tool=False,
    can_be_missing=True,
    can_conflict=True,
)
