"""Proposals as background work would leave them, and the ways to decide them."""

from datetime import datetime
from uuid import UUID

from tests.integration.core.writing import rows
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.ids import new_id
from threengram.core.proposals import review_proposals, undo_proposal
from threengram.schema.proposals import (
    AcceptProposal,
    EdgeProposal,
    ListProposals,
    ProposalsListed,
    RejectProposal,
    ReviewProposalsOutput,
    UndoProposalInput,
)


async def propose_edge(
    core: Core,
    person: Person,
    from_id: UUID,
    to_id: UUID,
    edge_type: str = "supersedes",
    *,
    created_at: datetime | None = None,
) -> UUID:
    """An open proposal of an edge."""
    proposal_id = new_id()
    await rows(
        core,
        person,
        "INSERT INTO consolidation_proposals (tenant_id, id, from_id, to_id, edge_type, memory_type, similarity,"
        " rationale, created_at)"
        " SELECT m.tenant_id, %(id)s, m.id, %(to_id)s, %(edge_type)s, m.memory_type, 0.93, 'cosine 0.930',"
        " %(created_at)s FROM memories m WHERE m.id = %(from_id)s",
        id=proposal_id,
        from_id=from_id,
        to_id=to_id,
        edge_type=edge_type,
        created_at=created_at or core.clock(),
    )
    return proposal_id


async def propose_fact(core: Core, person: Person, memory_id: UUID, **fields: object) -> UUID:
    """An open proposal of a fact; subject, predicate and value have defaults."""
    proposal_id = new_id()
    claim = {"subject": "lift", "predicate": "kg", "value": "98", "valid_from": None, "valid_to": None, **fields}
    await rows(
        core,
        person,
        "INSERT INTO fact_proposals (tenant_id, id, memory_id, subject, predicate, value, confidence, valid_from,"
        " valid_to, memory_type, created_at)"
        " SELECT m.tenant_id, %(id)s, m.id, %(subject)s, %(predicate)s, %(value)s, 0.5, %(valid_from)s, %(valid_to)s,"
        " m.memory_type, %(created_at)s FROM memories m WHERE m.id = %(memory_id)s",
        id=proposal_id,
        memory_id=memory_id,
        created_at=core.clock(),
        **claim,
    )
    return proposal_id


async def listed(core: Core, person: Person, **fields: object) -> ProposalsListed:
    """One page."""
    request = ListProposals.model_validate({"action": "list", **fields}, strict=False)
    async with open_call(core, person.principal) as call:
        answer = await review_proposals(call, request)
    assert isinstance(answer, ProposalsListed)
    return answer


async def accept(core: Core, person: Person, proposal_id: UUID, **fields: object) -> ReviewProposalsOutput:
    """Say yes."""
    request = AcceptProposal.model_validate({"action": "accept", "proposal_id": proposal_id, **fields}, strict=False)
    async with open_call(core, person.principal) as call:
        return await review_proposals(call, request)


async def reject(core: Core, person: Person, proposal_id: UUID) -> ReviewProposalsOutput:
    """Say no."""
    async with open_call(core, person.principal) as call:
        return await review_proposals(call, RejectProposal(proposal_id=proposal_id))


async def undo(core: Core, person: Person, proposal_id: UUID) -> EdgeProposal:
    """Take a yes back."""
    async with open_call(core, person.principal) as call:
        return (await undo_proposal(call, UndoProposalInput(proposal_id=proposal_id))).proposal
