"""Put runs in line, hand them out under a lease, keep them, end them.

A claim carries a token: whoever lost the lease can neither prolong nor end the run that another worker took over. An
attempt counts when it begins, so that a run which kills its worker comes to an end too.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from psycopg.types.json import Jsonb

from threengram.core.db.database import Database
from threengram.core.db.statement import Step
from threengram.core.ids import new_id
from threengram.core.jobs import queries
from threengram.core.jobs.job import DEFAULT_ATTEMPTS, JobContext, JobRun
from threengram.schema.enums import JobOutcome, JobState


class LeaseLost(Exception):
    """The run belongs to another worker by now, or to none."""


def enqueueing(
    kind: str,
    queue: str,
    tenant_ids: Sequence[UUID | None],
    *,
    now: datetime,
    scheduled_at: datetime | None = None,
    slot: datetime | None = None,
    max_attempts: int = DEFAULT_ATTEMPTS,
    traceparent: str | None = None,
) -> Step:
    """A step of any unit of work that puts one run for each tenant in line; None stands for the installation.

    Its rows are the new runs (`id`, `tenant_id`). A tenant that has a live run of the kind, or had one in this slot of
    the schedule, gets no other.
    """
    parameters = {
        "ids": [new_id() for _ in tenant_ids],
        "tenant_ids": list(tenant_ids),
        "kind": kind,
        "queue": queue,
        "max_attempts": max_attempts,
        "now": now,
        "scheduled_at": scheduled_at or now,
        "slot": slot,
        "traceparent": traceparent,
    }
    return Step(queries.ENQUEUE, parameters)


async def enqueue(
    database: Database,
    kind: str,
    queue: str,
    tenant_id: UUID | None,
    *,
    now: datetime,
    max_attempts: int = DEFAULT_ATTEMPTS,
) -> UUID | None:
    """The id of a new run; None when a live one of this kind and tenant is there already."""
    step = enqueueing(kind, queue, [tenant_id], now=now, max_attempts=max_attempts)
    async with database.system() as tx:
        rows = await tx.fetch_last(step.statement, step.parameters)
    return rows[0]["id"] if rows else None


async def claim(
    database: Database, queue: str, kinds: Sequence[str], *, now: datetime, lease_s: float
) -> JobRun | None:
    """The run of `kinds` that has been due longest, under a lease; None when none is."""
    token = new_id()
    parameters = {
        "queue": queue,
        "kinds": list(kinds),
        "now": now,
        "lease_until": now + timedelta(seconds=lease_s),
        "lease_token": token,
    }
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.CLAIM, parameters)
    if not rows:
        return None
    row = rows[0]
    return JobRun(**{**row, "traceparent": row["traceparent"] or ""}, lease_token=token)


async def heartbeat(context: JobContext, *, lease_s: float) -> bool:
    """Prolong the lease and store the counts; whether somebody asked to cancel. Raises `LeaseLost`."""
    now = context.clock()
    parameters = {
        "run_id": context.run.id,
        "lease_token": context.run.lease_token,
        "now": now,
        "lease_until": now + timedelta(seconds=lease_s),
        "counts": Jsonb(dict(context.counts)),
    }
    async with context.database.system() as tx:
        rows = await tx.fetch_last(queries.HEARTBEAT, parameters)
    if not rows:
        raise LeaseLost
    return bool(rows[0]["is_cancel_asked"])


async def end(
    context: JobContext,
    state: JobState,
    outcome: JobOutcome,
    *,
    attempts: int,
    wait: timedelta = timedelta(0),
    error_class: str | None = None,
) -> JobState:
    """Record how an attempt ended; a run that goes back to the queue is due after `wait`. Raises `LeaseLost`.

    The state that was reached: a run to be queued again is `cancelled` if somebody asked for that meanwhile.
    """
    now = context.clock()
    parameters = {
        "run_id": context.run.id,
        "lease_token": context.run.lease_token,
        "state": state,
        "outcome": outcome,
        "attempts": attempts,
        "now": now,
        "scheduled_at": now + wait,
        "counts": Jsonb(dict(context.counts)),
        "error_class": error_class,
    }
    async with context.database.system() as tx:
        rows = await tx.fetch_last(queries.END_ATTEMPT, parameters)
    if not rows:
        raise LeaseLost
    return JobState(rows[0]["state"])
