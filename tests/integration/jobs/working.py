"""Jobs that do as a test wants, on a queue of the test's own, and one executor for them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from tests.conftest import Clock
from threengram.core.db.database import Database
from threengram.core.ids import new_id
from threengram.core.jobs.executor import Ended, Executor
from threengram.core.jobs.job import Job, JobContext
from threengram.core.jobs.queue import enqueue
from threengram.core.jobs.runs import RecordedRun, list_runs
from threengram.schema.enums import JobState
from threengram.worker.settings import Settings

LEASE_S: float = Settings.model_fields["lease_s"].default
"""As it is in production."""


@dataclass
class Workshop:
    """One kind of job on one queue, both unknown to other tests; `work` is what it does."""

    database: Database
    clock: Clock
    work: Callable[[JobContext], Awaitable[bool]]
    lease_s: float = LEASE_S
    options: dict[str, Any] = field(default_factory=dict)
    name: str = field(default_factory=lambda: f"job_{new_id().hex}")

    @property
    def job(self) -> Job[None]:
        async def run(context: JobContext, _resources: None) -> bool:
            return await self.work(context)

        return Job(self.name, self.name, run, **self.options)

    def executor(self) -> Executor[None]:
        return Executor(self.database, [self.job], None, clock=self.clock, lease_s=self.lease_s)

    async def enqueue(self, tenant_id: UUID | None = None) -> UUID | None:
        return await enqueue(
            self.database, self.name, self.name, tenant_id, now=self.clock(), max_attempts=self.job.attempts
        )

    async def attempt(self) -> Ended | None:
        return await self.executor().run_next(self.name)

    async def drain(self) -> list[Ended]:
        ended = []
        while (one := await self.attempt()) is not None:
            ended.append(one)
        return ended

    async def record(self) -> list[RecordedRun]:
        """Every run of the kind, newest first."""
        return await list_runs(self.database, kind=self.name, limit=500)

    async def run(self) -> RecordedRun:
        (only,) = await self.record()
        return only

    async def is_running(self) -> bool:
        return (await self.run()).state is JobState.RUNNING

    async def has_beaten_since(self, instant: datetime) -> bool:
        beaten_at = (await self.run()).heartbeat_at
        return beaten_at is not None and beaten_at > instant


async def nothing(_context: JobContext) -> bool:
    return False


async def never(_context: JobContext) -> bool:
    await asyncio.Event().wait()
    return False


def raising(error: Exception) -> Callable[[JobContext], Awaitable[bool]]:
    async def work(_context: JobContext) -> bool:
        raise error

    return work
