"""Lanes: a long run holds up no other, and a stop gives it back at once."""

import asyncio
from datetime import UTC, datetime

from pydantic import SecretStr

from tests.waiting import wait_until
from threengram.core.ids import new_id
from threengram.core.jobs.executor import Executor
from threengram.core.jobs.job import Job, JobContext
from threengram.core.jobs.queue import enqueue
from threengram.core.jobs.runs import RecordedRun, list_runs
from threengram.schema.enums import JobState
from threengram.worker.connections import Connections
from threengram.worker.lanes import Lanes
from threengram.worker.loop import BackgroundLoop
from threengram.worker.settings import Settings

QUEUE = "test_lanes"
PATIENCE_S = 60.0


async def never(_context: JobContext, _connections: Connections) -> bool:
    await asyncio.Event().wait()
    return False


async def at_once(_context: JobContext, _connections: Connections) -> bool:
    return False


class Yard:
    """Lanes of two kinds of job on a queue of their own, driven from outside their loop."""

    def __init__(self, background: BackgroundLoop, connections: Connections, slots: int) -> None:
        self.background, self.connections = background, connections
        self.long, self.short = f"long_{new_id().hex}", f"short_{new_id().hex}"
        jobs = [Job(self.long, QUEUE, never), Job(self.short, QUEUE, at_once)]
        executor = Executor(connections.database, jobs, connections, clock=connections.clock, lease_s=60)
        self.lanes = Lanes(executor, connections, background, slots=slots)

    def ring(self, kind: str) -> None:
        made = enqueue(self.connections.database, kind, QUEUE, None, now=self.connections.clock())
        assert self.background.submit(made).result(PATIENCE_S) is not None
        self.background.submit(self.lanes.ring(QUEUE)).result(PATIENCE_S)

    def run(self, kind: str) -> RecordedRun:
        (only,) = self.background.submit(list_runs(self.connections.database, kind=kind)).result(PATIENCE_S)
        return only


def test_a_long_run_holds_up_no_other_and_is_given_back_at_a_stop(database_url: str, redis_url: str) -> None:
    settings = Settings(database_url=SecretStr(database_url), redis_url=SecretStr(redis_url))
    connections = Connections(settings, lambda: datetime.now(UTC))
    with BackgroundLoop(connections.opened) as background:
        yard = Yard(background, connections, slots=2)
        yard.ring(yard.long)
        wait_until(lambda: yard.run(yard.long).state is JobState.RUNNING)
        yard.ring(yard.short)
        wait_until(lambda: yard.run(yard.short).state is JobState.DONE)
        assert yard.run(yard.long).state is JobState.RUNNING
        yard.lanes.stop(0)
        yard.lanes.join()
        assert (yard.run(yard.long).state, yard.run(yard.long).attempts) == (JobState.QUEUED, 0)
