"""Mark what has fallen due: surface it, let it expire after its grace, open the next occurrence of what recurs.

One call is one batch with an instant of its own, so that what it writes goes on record when it is written. A memory
that somebody holds at this moment is left for the next call; nothing is decided on a state read without its lock.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from threengram.core.commitments import queries
from threengram.core.commitments.obligations import moving, obligation
from threengram.core.commitments.transitions import EXPIRED, UNSETTLED, Advance, Change, Obligation, next_due
from threengram.core.db.database import Database
from threengram.core.db.statement import Step
from threengram.core.principal import Principal
from threengram.core.time.recording import recorded_after
from threengram.schema.enums import ActorKind

DEFAULT_GRACE = timedelta(days=14)
BATCH_ROWS = 100
SURFACING_INTERVAL = timedelta(days=1)
"""What is overdue surfaces on the day it falls due and once a day from then on."""

_NOBODY = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Marked:
    """What one batch did; when it `is_full`, more is likely to be due."""

    surfaced: int
    expired: int
    advanced: int
    is_full: bool


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of one commitment: a move, and when it surfaces next if it surfaces now."""

    move: Change | Advance | None
    next_surfacing_at: datetime | None


async def mark_due(database: Database, tenant_id: UUID, *, now: datetime, grace: timedelta = DEFAULT_GRACE) -> Marked:
    """One batch of a tenant's live commitments, longest due first. Running it twice, or at several places, is harmless.

    A commitment expires when it has been due for longer than `grace`; a recurring one goes on with the occurrence that
    is due by now, or else with the next to come.
    """
    principal = Principal(tenant_id, _NOBODY, _NOBODY, frozenset(), ActorKind.WORKER)
    async with database.tenant(principal) as tx:
        due = await tx.fetch(queries.DUE_MEMORIES, {"now": now, "expired_before": now - grace, "limit": BATCH_ROWS})
        ids = [row["id"] for row in due]
        held, rows = await tx.run(
            [Step(queries.LOCK_LIVE, {"memory_ids": ids}), Step(queries.OBLIGATIONS, {"memory_ids": ids})]
        )
        locked = {row["id"] for row in held}
        counts: Counter[str] = Counter()
        steps: list[Step] = []
        for stored in (obligation(row) for row in rows if row["memory_id"] in locked):
            fate = fate_of(stored, now=now, grace=grace)
            steps += _carrying_out(stored, fate, now)
            counts["advanced"] += isinstance(fate.move, Advance)
            counts["expired"] += isinstance(fate.move, Change)
            counts["surfaced"] += fate.next_surfacing_at is not None
        if steps:
            await tx.run(steps, commit=True)
    return Marked(counts["surfaced"], counts["expired"], counts["advanced"], is_full=len(due) == BATCH_ROWS)


def fate_of(stored: Obligation, *, now: datetime, grace: timedelta) -> Fate:
    """Pure: what a commitment comes to at `now`."""
    if stored.due_at is None or stored.status not in UNSETTLED or stored.due_at > now:
        return Fate(None, None)
    latest = _latest_due(stored, stored.due_at, now)
    if latest > stored.due_at:
        return Fate(Advance(EXPIRED, latest), _next_surfacing(latest, now))
    if stored.due_at + grace < now:
        following = next_due(stored, now)
        return Fate(Change(EXPIRED) if following is None else Advance(EXPIRED, following), None)
    is_time = (stored.next_surfacing_at or stored.due_at) <= now
    return Fate(None, _next_surfacing(stored.due_at, now) if is_time else None)


def _latest_due(stored: Obligation, due_at: datetime, now: datetime) -> datetime:
    if stored.recurrence is None:
        return due_at
    return max(due_at, stored.recurrence.last_by(stored.recurs_from or due_at, now) or due_at)


def _next_surfacing(due_at: datetime, now: datetime) -> datetime:
    return due_at + SURFACING_INTERVAL * ((now - due_at) // SURFACING_INTERVAL + 1)


def _carrying_out(stored: Obligation, fate: Fate, now: datetime) -> list[Step]:
    at = recorded_after(now, stored.updated_at)
    steps = [] if fate.move is None else moving(stored, fate.move, ActorKind.WORKER, at=at)
    if fate.next_surfacing_at is not None:
        values = {"commitment_id": stored.commitment_id, "at": now, "next_surfacing_at": fate.next_surfacing_at}
        steps.append(Step(queries.SURFACE, values))
    return steps
