"""Take back an accepted edge: the predecessor is as it was, as far as nothing newer has taken over."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from threengram.core.call import Call
from threengram.core.commitments import queries as commitment_queries
from threengram.core.commitments.obligations import moving, obligation
from threengram.core.commitments.transitions import OPEN, RESOLVED, WAITING, Change
from threengram.core.db.statement import Row, Step
from threengram.core.errors import Conflict, NotFound
from threengram.core.facts import reopening
from threengram.core.lifetimes.edges import Edge, retracting
from threengram.core.lifetimes.reopening import reopen
from threengram.core.lifetimes.standing import Standing, locking_both, standing
from threengram.core.proposals import queries
from threengram.core.proposals.records import edge_proposal, reading_edge
from threengram.core.scopes.queries import FILING
from threengram.core.time.recording import recorded_after
from threengram.schema.enums import ActorKind, EdgeType
from threengram.schema.proposals import UndoProposalInput, UndoProposalOutput


async def undo_proposal(call: Call, request: UndoProposalInput) -> UndoProposalOutput:
    """The proposal, rejected now, so that the pair is not proposed again.

    The edge is retracted and stays on record; the predecessor, its facts and its obligation are live again, unless
    something was written about them meanwhile. Raises `NotFound` for anything but an applied edge, `Conflict` when the
    successor has a successor itself, and when the predecessor's content is live in another memory.
    """
    _, tx = await call.admitted()
    found = await tx.fetch(queries.APPLIED_EDGE, {"proposal_id": request.proposal_id})
    if not found:
        raise NotFound("accepted edge proposal", str(request.proposal_id), field="proposalId")
    proposal = found[0]
    from_id, to_id = proposal["from_id"], proposal["to_id"]
    _, _, newer_rows, older_rows, commitments, *facts = await tx.run(
        [
            Step(FILING),
            *locking_both(from_id, to_id),
            Step(commitment_queries.OBLIGATIONS, {"memory_ids": [to_id]}),
            *reopening.reading(to_id, now=call.now, closed_at=proposal["decided_at"]),
        ]
    )
    at, facts_steps = reopening.planned(facts)
    at = recorded_after(at, proposal["decided_at"])
    edge, actor = Edge(proposal["edge_id"], from_id, to_id, EdgeType(proposal["edge_type"])), call.principal.actor
    steps = [
        *retracting(edge, actor, at=at, details={"proposalId": request.proposal_id}),
        Step(queries.UNDO_EDGE, {"proposal_id": request.proposal_id, "at": at}),
    ]
    if edge.is_closing:
        _check_head(standing(from_id, newer_rows), request.proposal_id)
        steps += [*facts_steps, *_obligation_restored(commitments, proposal, actor, at)]
        rows = await reopen(call, tx, standing(to_id, older_rows), [*steps, reading_edge(request.proposal_id)], at=at)
    else:
        rows = await tx.run([*steps, reading_edge(request.proposal_id)], commit=True)
    call.core.database.observer.count("proposal", kind="edge", outcome="undone")
    return UndoProposalOutput(proposal=edge_proposal(rows[-1][0]))


def _check_head(newer: Standing, proposal_id: UUID) -> None:
    if newer.is_superseded:
        raise Conflict(
            f"the successor is superseded itself by {newer.successor_id}; this edge can't be taken back any more",
            subject_id=str(proposal_id),
        )


def _obligation_restored(commitments: list[Row], proposal: Row, actor: ActorKind, at: datetime) -> list[Step]:
    """Back to the status it had, if it is still as accepting has left it."""
    if not commitments or proposal["commitment_status"] is None:
        return []
    settled = obligation(commitments[0])
    if settled.status is not RESOLVED or settled.updated_at != proposal["decided_at"]:
        return []
    steps = moving(settled, Change(OPEN), actor, at=at)
    if proposal["commitment_status"] == WAITING:
        steps += moving(replace(settled, status=OPEN), Change(WAITING), actor, at=at)
    return steps
