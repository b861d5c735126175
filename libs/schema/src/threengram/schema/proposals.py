"""`review_proposals`: what background work suggests, and what a reviewer makes of it."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.enums import EdgeType, MemoryType, ProposalStatus, RejectionReason
from threengram.schema.forms import InputForms, OutputForms
from threengram.schema.identifiers import Id
from threengram.schema.instants import Instant
from threengram.schema.search import Cursor


class ReviewProposalsInput(InputForms):
    """Arguments of `review_proposals`, one form for each action. An id alone tells which kind of proposal it is."""


class ListProposals(ReviewProposalsInput):
    """Show proposals of both kinds, newest first."""

    action: Literal["list"] = Field(default="list", init=False)
    status: ProposalStatus = Field(default=ProposalStatus.PROPOSED, description="list: default the open ones")
    limit: Annotated[int, Field(ge=1, le=bounds.MAX_PROPOSALS_LIMIT)] = Field(
        default=bounds.DEFAULT_PROPOSALS_LIMIT, description="list: of each kind"
    )
    cursor: Cursor | None = Field(default=None, description="list: nextCursor of the same status")


class AcceptProposal(ReviewProposalsInput):
    """Draw the proposed edge, or write the proposed fact."""

    action: Literal["accept"] = Field(default="accept", init=False)
    proposal_id: Id = Field(description="accept, reject: id of an open proposal of either kind")
    edge_type: EdgeType | None = Field(
        default=None, description="accept: another edge than the proposed one, out of its allowedEdgeTypes"
    )


class RejectProposal(ReviewProposalsInput):
    """Say no; the same will not be proposed again."""

    action: Literal["reject"] = Field(default="reject", init=False)
    proposal_id: Id


class EdgeProposal(Output):
    """That memory `fromId`, the newer one, takes over from `toId` or adds to it.

    `edgeType` is what was proposed, and once applied what was drawn. Topics are bounded; `reason` says why it was
    rejected.
    """

    id: UUID
    from_id: UUID
    to_id: UUID
    from_topic: str
    to_topic: str
    edge_type: EdgeType
    allowed_edge_types: list[EdgeType]
    memory_type: MemoryType
    similarity: float
    rationale: str | None
    status: ProposalStatus
    reason: RejectionReason | None = present()
    decided_at: Instant | None
    created_at: Instant


class FactProposal(Output):
    """That memory `memoryId` states a measurable claim. `factId` once it is applied; `topic` is the memory's."""

    id: UUID
    memory_id: UUID
    topic: str
    subject: str
    predicate: str
    value: str
    memory_type: MemoryType
    confidence: float | None
    valid_from: Instant | None
    valid_to: Instant | None
    rationale: str | None
    status: ProposalStatus
    reason: RejectionReason | None = present()
    fact_id: UUID | None = present()
    decided_at: Instant | None
    created_at: Instant


class ReviewProposalsOutput(OutputForms):
    """The answer of `review_proposals`, in a form that depends on the action and on the kind of proposal."""


class ProposalsListed(ReviewProposalsOutput):
    """One page. `count` counts edges only; `factProposals` is there when there are some."""

    action: Literal["list"]
    proposals: list[EdgeProposal]
    count: int
    fact_proposals: list[FactProposal] | None = present()
    has_more: bool
    next_cursor: str | None = present()


class EdgeApplied(ReviewProposalsOutput):
    """The edge is drawn."""

    action: Literal["applied"]
    proposal: EdgeProposal


class FactApplied(ReviewProposalsOutput):
    """The fact is written."""

    action: Literal["applied_fact"]
    proposal: FactProposal
    fact_id: UUID


class EdgeRejected(ReviewProposalsOutput):
    """The pair is left as it is."""

    action: Literal["rejected"]
    proposal: EdgeProposal


class FactRejected(ReviewProposalsOutput):
    """The claim is not recorded."""

    action: Literal["rejected_fact"]
    proposal: FactProposal


class UndoProposalInput(Input):
    """Which accepted edge to take back."""

    proposal_id: Id


class UndoProposalOutput(Output):
    """The proposal, rejected now with the reason `undone`."""

    proposal: EdgeProposal
