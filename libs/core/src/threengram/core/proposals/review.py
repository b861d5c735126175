"""`review_proposals`: show what is proposed, accept it or reject it."""

from uuid import UUID

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Step
from threengram.core.errors import InvalidRequest, NotFound
from threengram.core.proposals import queries
from threengram.core.proposals.accept_edge import accept_edge
from threengram.core.proposals.accept_fact import accept_fact
from threengram.core.proposals.listing import list_proposals
from threengram.core.proposals.records import edge_proposal, fact_proposal, reading_edge, reading_fact
from threengram.schema.enums import OAuthScope
from threengram.schema.proposals import (
    AcceptProposal,
    EdgeRejected,
    FactRejected,
    ListProposals,
    RejectProposal,
    ReviewProposalsInput,
    ReviewProposalsOutput,
)


def required_scope(request: ReviewProposalsInput) -> OAuthScope:
    """What a credential must be allowed to for this action."""
    return OAuthScope.MEMORY_READ if isinstance(request, ListProposals) else OAuthScope.MEMORY_WRITE


async def review_proposals(call: Call, request: ReviewProposalsInput) -> ReviewProposalsOutput:
    """What the action shows or makes of a proposal; an id alone tells its kind.

    Raises `InsufficientScope` when the credential may not do this action, `NotFound` for a proposal that is unknown,
    foreign or decided already, `Conflict` for one that has become
    pointless (it retires) or whose fact has no place, `InvalidRequest` for an edge that the two types do not admit.
    """
    call.require(required_scope(request))
    _, tx = await call.admitted()
    match request:
        case ListProposals():
            return await list_proposals(call, tx, request)
        case RejectProposal():
            return await _reject(call, tx, request.proposal_id)
        case AcceptProposal():
            return await _accept(call, tx, request)
        case _:
            raise TypeError(f"no action {request.action}")


async def _reject(call: Call, tx: TenantTransaction, proposal_id: UUID) -> ReviewProposalsOutput:
    named = {"proposal_id": proposal_id, "now": call.now}
    rejected_edges, rejected_facts, edges, facts = await tx.run(
        [
            Step(queries.REJECT_EDGE, named),
            Step(queries.REJECT_FACT, named),
            reading_edge(proposal_id),
            reading_fact(proposal_id),
        ],
        commit=True,
    )
    observer = call.core.database.observer
    if rejected_edges:
        observer.count("proposal", kind="edge", outcome="rejected")
        return EdgeRejected(action="rejected", proposal=edge_proposal(edges[0]))
    if rejected_facts:
        observer.count("proposal", kind="fact", outcome="rejected")
        return FactRejected(action="rejected_fact", proposal=fact_proposal(facts[0]))
    raise _no_open_proposal(proposal_id)


async def _accept(call: Call, tx: TenantTransaction, request: AcceptProposal) -> ReviewProposalsOutput:
    named = {"proposal_id": request.proposal_id}
    edges, facts = await tx.run([Step(queries.OPEN_EDGE, named), Step(queries.OPEN_FACT, named)])
    if edges:
        return await accept_edge(call, tx, request, edges[0])
    if not facts:
        raise _no_open_proposal(request.proposal_id)
    if request.edge_type is not None:
        raise InvalidRequest("this proposal is a fact, not an edge", field="edgeType")
    return await accept_fact(call, tx, request.proposal_id, facts[0])


def _no_open_proposal(proposal_id: UUID) -> NotFound:
    return NotFound("open proposal", str(proposal_id), field="proposalId")
