"""Cadences: which slot an instant falls into, and one run in every slot, however many processes keep the schedule."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from threengram.core.db.database import Database
from threengram.core.jobs.job import Job
from threengram.core.jobs.queue import enqueueing

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def slot_of(now: datetime, cadence_s: float) -> datetime:
    """The latest multiple of the cadence since the epoch: the same for every process and after every restart."""
    cadence = timedelta(seconds=cadence_s)
    return _EPOCH + (now - _EPOCH) // cadence * cadence


async def enqueue_due(database: Database, jobs: Iterable[Job[Any]], *, now: datetime) -> int:
    """How many runs the schedule called for and nobody had enqueued yet.

    A run that is still at work in the next slot holds that slot's run back until it has ended; slots that passed
    meanwhile are not made up for.
    """
    steps = [
        enqueueing(
            job.kind,
            job.queue,
            [None],
            now=now,
            slot=slot_of(now, job.cadence_s),
            max_attempts=job.attempts,
        )
        for job in jobs
        if job.cadence_s is not None
    ]
    if not steps:
        return 0
    async with database.system() as tx:
        made = await tx.run(steps, commit=True)
    return sum(len(rows) for rows in made)
