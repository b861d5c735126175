"""The tasks. A message says which queue to look at; what is due there stands in rows."""

import asyncio
import time
from collections import Counter as Tally
from collections.abc import Callable
from dataclasses import asdict

from celery import Celery

from threengram.core.embeddings.embedder import Embedder
from threengram.core.embeddings.pending import embed_pending
from threengram.core.errors import Unavailable
from threengram.core.jobs.executor import Executor
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import EMBEDDING_ROWS, JOB_DURATION
from threengram.worker.app import TASKS, time_limit_s
from threengram.worker.connections import Connections
from threengram.worker.jobs import Counts, Jobs, RungTask
from threengram.worker.registry import registry
from threengram.worker.settings import EMBED

_CLAIMED = "claimed"
_log = get_logger(__name__)


def register(app: Celery, jobs: Jobs, connections: Connections) -> None:
    """Make the task of every queue known to a worker's application."""
    executor = Executor(
        connections.database,
        registry(connections.settings),
        connections,
        clock=connections.clock,
        lease_s=connections.settings.lease_s,
    )

    def working_off(queue: str) -> Callable[[], Counts]:
        def work() -> Counts:
            return turns_at(queue)

        return work

    def turns_at(queue: str) -> Counts:
        turns: list[Turn | Filling] = [Turn(executor, queue, jobs, connections)]
        if queue == EMBED:
            turns.insert(0, Filling(jobs, connections))
        total: Tally[str] = Tally()
        for turn in turns:
            total.update(jobs.run(turn.run(), time_limit_s=turn.time_limit_s))
        if any(turn.has_more for turn in turns) and not jobs.is_stopping:
            # Behind whatever waits by now, so that a long backlog leaves the others their turns.
            app.send_task(TASKS[queue], queue=queue)
        return total

    for queue, name in TASKS.items():
        app.task(working_off(queue), name=name, queue=queue, base=RungTask)


class Turn:
    """One turn at the job runs of a queue: side by side until none is due, or the turn is over."""

    def __init__(self, executor: Executor[Connections], queue: str, jobs: Jobs, connections: Connections) -> None:
        self._executor = executor
        self._queue = queue
        self._jobs = jobs
        self._connections = connections
        self._settings = connections.settings
        self.time_limit_s = time_limit_s(self._settings)
        self.has_more = False

    async def run(self) -> Counts:
        """How many runs were claimed. Raises `Unavailable` without a database, `GuardViolation` without isolation."""
        await self._connections.require_isolation()
        total: Tally[str] = Tally()
        stop_at = time.monotonic() + self._settings.lease_s
        lanes = [self._lane(stop_at, total) for _ in range(self._settings.job_slots)]
        try:
            async with asyncio.TaskGroup() as group:
                for lane in lanes:
                    group.create_task(lane)
        except* Unavailable as failures:
            raise failures.exceptions[0] from None
        return total

    async def _lane(self, stop_at: float, total: Tally[str]) -> None:
        while not self._jobs.is_stopping:
            if time.monotonic() >= stop_at:
                self.has_more = True
                return
            started = time.perf_counter()
            ended = await self._executor.run_next(self._queue)
            if ended is None:
                return
            total["claimed"] += 1
            elapsed_s = time.perf_counter() - started
            JOB_DURATION.labels(self._queue, ended.run.kind, ended.outcome).observe(elapsed_s)
            _log.info(
                "run_ended",
                kind=ended.run.kind,
                job_run_id=ended.run.id,
                attempt=ended.run.attempts,
                outcome=ended.outcome,
                error_class=ended.error_class,
                duration_ms=round(elapsed_s * 1000, 1),
                **ended.counts,
            )


class Filling:
    """One turn at the missing vectors: batches of each serving model until few are left, or the turn is over."""

    def __init__(self, jobs: Jobs, connections: Connections) -> None:
        self._jobs = jobs
        self._connections = connections
        # It begins no batch after one lease, and a batch takes at most one.
        self.time_limit_s = 2 * connections.settings.lease_s + 5
        self.has_more = False

    async def run(self) -> Counts:
        """How many rows were claimed, and what became of them. Raises `Unavailable` without a database."""
        total: Tally[str] = Tally()
        settings = self._connections.settings
        embedders = await self._connections.embedders()
        stop_at = time.monotonic() + settings.lease_s
        for _ in range(settings.embed_rounds):
            if self._jobs.is_stopping or time.monotonic() >= stop_at:
                break
            # The active model comes first in every round: what was just written never waits for a generation to fill.
            if not any([await self._fill(embedder, total) for embedder in embedders]):
                return dict(total)
        self.has_more = True
        return dict(total)

    async def _fill(self, embedder: Embedder, total: Tally[str]) -> bool:
        """Whether more rows of the model are likely to be due."""
        filled = await embed_pending(
            self._connections.database,
            embedder,
            now=self._connections.clock(),
            lease_s=self._connections.settings.lease_s,
        )
        counts = asdict(filled)
        total.update(counts)
        for outcome in counts.keys() - {_CLAIMED}:
            EMBEDDING_ROWS.labels(outcome).inc(counts[outcome])
        return filled.is_full
