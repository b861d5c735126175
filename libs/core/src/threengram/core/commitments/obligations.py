"""Commitments as stored, and the steps that carry out a move.

Whoever moves one holds the lock on its memory, and has read it behind that lock: so a decision cannot be overtaken.
"""

from datetime import datetime
from uuid import UUID

from threengram.core.commitments import queries
from threengram.core.commitments.recurrence import parsed
from threengram.core.commitments.transitions import EVENTS, OPEN, Advance, Change, GoBack, Obligation, Occurrence
from threengram.core.db.statement import Row, Step
from threengram.core.lifetimes.events import event
from threengram.schema.enums import ActorKind, CommitmentStatus


def obligation(row: Row) -> Obligation:
    """One commitment with the occurrence behind it."""
    last = None
    if row["occurrence_no"] is not None:
        last = Occurrence(
            number=row["occurrence_no"],
            due_at=row["last_due_at"],
            status=CommitmentStatus(row["last_status"]),
            next_due_at=row["last_next_due_at"],
            recorded_at=row["last_recorded_at"],
        )
    return Obligation(
        commitment_id=row["id"],
        memory_id=row["memory_id"],
        status=CommitmentStatus(row["status"]),
        due_at=row["due_at"],
        recurrence=None if row["recurrence"] is None else parsed(row["recurrence"]),
        recurs_from=row["recurs_from"],
        next_surfacing_at=row["next_surfacing_at"],
        updated_at=row["updated_at"],
        last=last,
    )


def moving(
    stored: Obligation,
    move: Change | Advance | GoBack,
    actor: ActorKind,
    *,
    at: datetime,
) -> list[Step]:
    """The change itself, what goes with it, and the event last."""
    key = {"commitment_id": stored.commitment_id, "at": at}
    details: dict[str, str | UUID | datetime | None] = {"commitmentId": stored.commitment_id, "from": stored.status}
    match move:
        case Change(status):
            steps = [Step(queries.CHANGE_STATUS, {**key, "status": status})]
            details |= {"to": status, "dueAt": stored.due_at}
        case Advance(status, due_at):
            steps = [
                Step(queries.MOVE_DUE, {**key, "due_at": due_at}),
                Step(
                    queries.INSERT_OCCURRENCE,
                    {**key, "due_at": stored.due_at, "status": status, "next_due_at": due_at},
                ),
            ]
            details |= {"to": status, "dueAt": stored.due_at, "nextDueAt": due_at}
        case GoBack(last):
            status = OPEN
            steps = [
                Step(queries.MOVE_DUE, {**key, "due_at": last.due_at}),
                Step(queries.REOPEN_OCCURRENCE, {**key, "number": last.number}),
            ]
            details |= {"from": last.status, "to": status, "dueAt": last.due_at}
    return [
        *steps,
        event(stored.memory_id, EVENTS[status], actor, at=at, details=details),
    ]
