"""A fan-out over many tenants by real processes: how it ends, and what it takes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import psutil

from tests.integration.worker.programs import Program
from tests.waiting import eventually
from threengram.core.db.database import Database
from threengram.core.jobs.figures import figures
from threengram.core.jobs.runs import MAX_RUNS, RecordedRun, list_runs
from threengram.schema.enums import JobState

SURFACE = "surface"
MIB = 2**20


@dataclass(frozen=True)
class FannedOut:
    """The runs of each tenant by kind, and how much memory the worker took at most beyond what it began with."""

    runs: Mapping[str, Sequence[RecordedRun]]
    growth_mib: float

    def tenants(self, kind: str) -> dict[UUID, int]:
        """How many runs each tenant has had."""
        return dict(Counter(run.tenant_id for run in self.runs[kind] if run.tenant_id is not None))

    def took_s(self, kind: str) -> float:
        """From the first start to the last end."""
        ends = [run.finished_at for run in self.runs[kind] if run.finished_at is not None]
        starts = [run.started_at for run in self.runs[kind] if run.started_at is not None]
        return (max(ends) - min(starts)).total_seconds()


async def all_runs(database: Database, kind: str) -> list[RecordedRun]:
    """Every run of the kind."""
    found: list[RecordedRun] = []
    while page := await list_runs(database, kind=kind, before=found[-1].id if found else None, limit=MAX_RUNS):
        found += page
    return found


async def is_over(database: Database, expected: Mapping[str, int]) -> bool:
    """Whether the fan-out of every kind has reached so many tenants and nothing waits or runs any more."""
    left = [one for one in await figures(database, now=datetime.now(UTC)) if one.kind in expected]
    if any(one.waiting or one.running for one in left):
        return False
    return all([await done_by_now(database, tenants, kind=kind) for kind, tenants in expected.items()])


async def fanned_out(
    database: Database, worker: Program, expected: Mapping[str, int], *, patience_s: float
) -> FannedOut:
    """Wait for the schedule's fan-out of each kind over so many tenants to end, watching the worker's memory."""
    process = psutil.Process(worker.process.pid)
    await eventually(worker.is_ready)
    resident = [process.memory_info().rss]

    async def is_over_now() -> bool:
        resident.append(process.memory_info().rss)
        return await is_over(database, expected)

    await eventually(is_over_now, within_s=patience_s)
    return FannedOut(
        {kind: [run for run in await all_runs(database, kind) if run.tenant_id is not None] for kind in expected},
        (max(resident) - resident[0]) / MIB,
    )


async def done_by_now(database: Database, count: int, *, kind: str = SURFACE) -> bool:
    """Whether at least that many tenants are done."""
    runs = await all_runs(database, kind)
    return sum(run.tenant_id is not None and run.state is JobState.DONE for run in runs) >= count
