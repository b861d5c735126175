"""A fan-out over many tenants by real processes: how it ends, and what it takes."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import psutil

from tests.integration.worker.programs import Program
from tests.integration.worker.writing import eventually
from threengram.core.db.database import Database
from threengram.core.jobs.figures import figures
from threengram.core.jobs.runs import MAX_RUNS, RecordedRun, list_runs
from threengram.schema.enums import JobState

KIND = "surface"
MIB = 2**20


@dataclass(frozen=True)
class FannedOut:
    """The runs of each tenant, and how much memory the worker took at most beyond what it began with."""

    runs: dict[UUID, int]
    states: Counter[JobState]
    growth_mib: float


async def all_runs(database: Database) -> list[RecordedRun]:
    """Every run of the kind."""
    found: list[RecordedRun] = []
    while page := await list_runs(database, kind=KIND, before=found[-1].id if found else None, limit=MAX_RUNS):
        found += page
    return found


async def is_over(database: Database, tenants: int) -> bool:
    """Whether the fan-out has ended and nothing waits or runs any more."""
    left = [one for one in await figures(database, now=datetime.now(UTC)) if one.kind == KIND]
    if any(one.waiting or one.running for one in left):
        return False
    runs = await all_runs(database)
    return sum(run.tenant_id is not None and run.state is JobState.DONE for run in runs) >= tenants


async def fanned_out(database: Database, worker: Program, *, tenants: int, patience_s: float) -> FannedOut:
    """Wait for the schedule's fan-out over `tenants` to end, watching the worker's memory."""
    process = psutil.Process(worker.process.pid)
    await eventually(worker.is_ready)
    resident = [process.memory_info().rss]

    async def is_over_now() -> bool:
        resident.append(process.memory_info().rss)
        return await is_over(database, tenants)

    await eventually(is_over_now, patience_s=patience_s)
    runs = await all_runs(database)
    return FannedOut(
        dict(Counter(run.tenant_id for run in runs if run.tenant_id is not None)),
        Counter(run.state for run in runs),
        (max(resident) - resident[0]) / MIB,
    )


async def surfaced_by_now(database: Database, count: int) -> bool:
    """Whether at least that many tenants are done."""
    return sum(run.tenant_id is not None and run.state is JobState.DONE for run in await all_runs(database)) >= count
