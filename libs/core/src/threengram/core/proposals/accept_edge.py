"""Accept a proposed edge: what `revise` does to a predecessor, with a successor that exists already."""

from datetime import datetime
from uuid import UUID

from threengram.core.call import Call
from threengram.core.commitments import queries as commitment_queries
from threengram.core.commitments.carry import left_behind
from threengram.core.commitments.obligations import obligation
from threengram.core.commitments.transitions import UNSETTLED, Obligation
from threengram.core.db.database import TenantTransaction, UniqueViolated
from threengram.core.db.statement import Row, Step
from threengram.core.errors import Conflict, InvalidRequest
from threengram.core.facts.write import planned, reading
from threengram.core.ids import new_id
from threengram.core.lifetimes.edges import Edge, drawing
from threengram.core.lifetimes.standing import Standing, locking_both, standing, versioning
from threengram.core.proposals import queries
from threengram.core.proposals.edge_policy import allowed_edges
from threengram.core.proposals.records import edge_proposal, reading_edge
from threengram.core.proposals.stale import check_fresh
from threengram.core.scopes.queries import FILING
from threengram.schema.enums import EdgeType
from threengram.schema.proposals import AcceptProposal, EdgeApplied


async def accept_edge(call: Call, tx: TenantTransaction, request: AcceptProposal, proposal: Row) -> EdgeApplied:
    """The edge as drawn; the transaction holds the lock on `proposal`. Raises `Conflict`, `InvalidRequest`.

    Both ends are live, so that no chain of successors can close on itself. The obligation of an older commitment is
    settled rather than moved: a live newer one has its own.
    """
    from_id, to_id = proposal["from_id"], proposal["to_id"]
    _, _, newer_rows, older_rows, retired, commitments, *facts = await tx.run(
        [
            Step(FILING),
            *locking_both(from_id, to_id),
            Step(queries.RETIRE_EDGES, {"proposal_id": request.proposal_id, "now": call.now}),
            Step(commitment_queries.OBLIGATIONS, {"memory_ids": [to_id]}),
            *reading((), now=call.now, closing=to_id),
        ]
    )
    await check_fresh(tx, request.proposal_id, retired)
    newer, older = standing(from_id, newer_rows), standing(to_id, older_rows)
    edge = Edge(new_id(), from_id, to_id, _chosen(request, EdgeType(proposal["edge_type"]), newer, older))
    plan = planned(facts, to_id, ())
    closing: list[Step] = []
    former = None
    if edge.is_closing:
        former = obligation(commitments[0]) if commitments else None
        closing = [versioning(older, status=older.status, valid_to=plan.at, at=plan.at), *plan.steps]
        if former is not None:
            closing += left_behind(former, call.principal.actor, at=plan.at)
    drawn = _drawn(call, request.proposal_id, edge, former, at=plan.at)
    try:
        *_, rows = await tx.run([*closing, *drawn, reading_edge(request.proposal_id)], commit=True)
    except UniqueViolated as error:
        raise Conflict("these two memories are connected by such an edge already", field="edgeType") from error
    call.core.database.observer.count("proposal", kind="edge", outcome="accepted")
    return EdgeApplied(action="applied", proposal=edge_proposal(rows[0]))


def _chosen(request: AcceptProposal, proposed: EdgeType, newer: Standing, older: Standing) -> EdgeType:
    edge_type = request.edge_type or proposed
    allowed = allowed_edges(newer.memory_type, older.memory_type)
    if edge_type not in allowed:
        known = ", ".join(allowed) or "none"
        raise InvalidRequest(
            f"a {newer.memory_type} and a {older.memory_type} do not admit this edge; allowed: {known}",
            field="edgeType",
        )
    return edge_type


def _drawn(call: Call, proposal_id: UUID, edge: Edge, former: Obligation | None, *, at: datetime) -> list[Step]:
    was_unsettled = former is not None and former.status in UNSETTLED
    applied = {
        "proposal_id": proposal_id,
        "edge_type": edge.edge_type,
        "edge_id": edge.id,
        "commitment_status": former.status if former is not None and was_unsettled else None,
        "at": at,
    }
    steps = drawing(edge, call.principal.actor, at=at, details={"proposalId": proposal_id})
    return [*steps, Step(queries.APPLY_EDGE, applied)]
