"""`resolve`: move a commitment or a blocker on. Repeating a call changes nothing."""

from datetime import datetime

from threengram.core.call import Call
from threengram.core.commitments import blockers, queries
from threengram.core.commitments.obligations import moving, obligation
from threengram.core.commitments.transitions import UNSETTLED, Advance, Change, GoBack, Move, Obligation, decide
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Step
from threengram.core.errors import NotFound
from threengram.core.lifetimes import queries as lifetime_queries
from threengram.core.lifetimes.standing import Standing, locking, standing
from threengram.core.scopes.queries import FILING
from threengram.core.sessions.attribution import attributed, attributing
from threengram.core.time.recording import recorded_after
from threengram.schema.commitments import ResolvableKind, ResolveInput, ResolveOutput
from threengram.schema.enums import CommitmentStatus, MemoryType


async def resolve(call: Call, request: ResolveInput) -> ResolveOutput:
    """Where it stands after the call.

    Raises `NotFound` for whatever can't be resolved (unknown, foreign, superseded or of another type),
    `InvalidTransition` for a way that is closed, `InvalidRequest` for a due instant that no occurrence has, `Conflict`
    when a blocker can't be opened again because the same content is live elsewhere.
    """
    _, tx = await call.admitted()
    read = await tx.run(
        [
            *attributing(request.session_run_id, now=call.now, memory_id=request.memory_id),
            Step(FILING),
            *locking(request.memory_id),
            Step(queries.OBLIGATIONS, {"memory_ids": [request.memory_id]}),
        ]
    )
    _, _, found, commitments = attributed(request.session_run_id, read)
    memory = standing(request.memory_id, found, kind="commitment or blocker")
    if not memory.is_superseded and commitments:
        return await _commitment(call, tx, request, obligation(commitments[0]))
    if not memory.is_superseded and memory.memory_type is MemoryType.BLOCKER:
        return await blockers.resolve(call, tx, request, memory)
    raise NotFound("commitment or blocker", str(request.memory_id), hint=_instead(memory))


def _instead(memory: Standing) -> str:
    if memory.successor_id is not None:
        return f"this memory is superseded by {memory.successor_id}: resolve that one"
    return f"this memory is a {memory.memory_type}"


async def _commitment(call: Call, tx: TenantTransaction, request: ResolveInput, stored: Obligation) -> ResolveOutput:
    at = recorded_after(call.now, stored.updated_at)
    move = decide(stored, request.status, due_at=request.due_at, now=call.now)
    if isinstance(move, Change | Advance | GoBack):
        touch = Step(lifetime_queries.TOUCH, {"memory_id": stored.memory_id, "at": at})
        steps = moving(stored, move, call.principal.actor, at=at)
        await tx.run([touch, *steps], commit=True)
    return ResolveOutput(
        kind=ResolvableKind.COMMITMENT,
        memory_id=stored.memory_id,
        commitment_id=stored.commitment_id,
        status=request.status,
        next_due_at=_next_due(stored, move, request.status),
    )


def _next_due(stored: Obligation, move: Move, wanted: CommitmentStatus) -> datetime | None:
    """When it is due again: after a step to the next occurrence, and when a call repeats the one before."""
    if isinstance(move, Advance):
        return move.due_at
    is_behind = wanted is not stored.status and stored.status in UNSETTLED and not isinstance(move, Change | GoBack)
    return stored.due_at if is_behind else None
