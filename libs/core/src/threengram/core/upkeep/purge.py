"""The job that takes away ended credentials, clients that nobody uses, and old records of jobs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final

from threengram.core.db.statement import Statement
from threengram.core.jobs.job import JobContext
from threengram.core.oauth.purge import purge as purge_oauth
from threengram.core.upkeep import queries

BATCH_ROWS: Final = 1_000
ENDED_SESSION_KEPT: Final = timedelta(days=7)
METERED_CALLS_KEPT: Final = timedelta(days=400)
"""A year and a month, so that a month can be compared with that of the year before."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long the record of a run stays: of one that is over, and of one that is dead."""

    runs: timedelta
    failed_runs: timedelta


async def purge(context: JobContext, retention: Retention) -> bool:
    """Take away what has ended long enough ago, in bounded statements. Running it twice is harmless."""
    now = context.clock()
    context.counts.update(asdict(await purge_oauth(context.database, now)))
    context.counts["sessions"] += await _emptied(context, queries.SWEEP_SESSIONS, {"before": now - ENDED_SESSION_KEPT})
    old = {"ended_before": now - retention.runs, "failed_before": now - retention.failed_runs}
    context.counts["runs"] += await _emptied(context, queries.SWEEP_RUNS, old)
    metered = {"before": (now - METERED_CALLS_KEPT).date()}
    context.counts["calls"] += await _emptied(context, queries.SWEEP_METERED_CALLS, metered)
    return False


async def _emptied(context: JobContext, sweep: Statement, parameters: Mapping[str, object]) -> int:
    total, deleted = 0, BATCH_ROWS
    while deleted == BATCH_ROWS:
        async with context.database.system() as tx:
            rows = await tx.fetch_last(sweep, {**parameters, "limit": BATCH_ROWS})
        deleted = int(rows[0]["total"])
        total += deleted
    return total
