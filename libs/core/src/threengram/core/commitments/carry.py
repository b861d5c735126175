"""What becomes of an obligation when its memory is written or revised.

the predecessor has one   the successor is a commitment   the obligation moves, its id unchanged
the predecessor has one   the successor is none           it stays behind, resolved if it was unsettled
the predecessor has none  the successor is a commitment   a new one opens
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from threengram.core.commitments import queries
from threengram.core.commitments.obligations import moving
from threengram.core.commitments.transitions import RESOLVED, UNSETTLED, Change, Obligation
from threengram.core.db.statement import Step
from threengram.core.errors import InvalidRequest
from threengram.core.ids import new_id
from threengram.schema.enums import ActorKind, MemoryType
from threengram.schema.memories import RememberInput
from threengram.schema.revisions import ReviseInput


@dataclass(frozen=True, slots=True)
class Carried:
    """The obligation of the successor, if it has one, and the steps that make it so."""

    commitment_id: UUID | None
    steps: list[Step]


def opening(commitment_id: UUID, memory_id: UUID, request: RememberInput | ReviseInput, *, at: datetime) -> Step:
    """The step that opens a commitment of its own for a memory."""
    return Step(
        queries.INSERT_COMMITMENT,
        {
            "commitment_id": commitment_id,
            "memory_id": memory_id,
            "owner": request.owner,
            "due_at": request.due_at,
            "recurrence": request.recurrence,
            "at": at,
        },
    )


def carried(
    former: Obligation | None, request: ReviseInput, successor_id: UUID, actor: ActorKind, *, at: datetime
) -> Carried:
    """How the obligation goes on; raises `InvalidRequest` when it would recur without ever having been due."""
    is_commitment = request.memory_type is MemoryType.COMMITMENT
    due_at = request.due_at or (former.due_at if former is not None else None)
    if request.recurrence is not None and due_at is None:
        raise InvalidRequest("recurrence needs dueAt, the first occurrence", field="recurrence")
    if former is None:
        if not is_commitment:
            return Carried(None, [])
        commitment_id = new_id()
        return Carried(commitment_id, [opening(commitment_id, successor_id, request, at=at)])
    if is_commitment:
        return Carried(former.commitment_id, [_moving_on(former, request, successor_id, at)])
    return Carried(None, left_behind(former, actor, at=at))


def left_behind(former: Obligation, actor: ActorKind, *, at: datetime) -> list[Step]:
    """What becomes of an obligation whose memory is taken over by one that does not carry it on."""
    return moving(former, Change(RESOLVED), actor, at=at) if former.status in UNSETTLED else []


def _moving_on(former: Obligation, request: ReviseInput, successor_id: UUID, at: datetime) -> Step:
    recurs = request.recurrence is not None or former.recurrence is not None
    return Step(
        queries.CARRY_COMMITMENT,
        {
            "commitment_id": former.commitment_id,
            "successor_id": successor_id,
            "owner": request.owner,
            "due_at": request.due_at,
            "recurrence": request.recurrence,
            "is_rescheduled": recurs and (request.due_at is not None or request.recurrence is not None),
            "at": at,
        },
    )
