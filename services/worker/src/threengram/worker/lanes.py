"""The job runs of this process: a few of each queue side by side, for as long as each of them takes.

A ring opens a lane and returns; it never waits for a run, so that a long one holds up neither the other runs of its
queue nor the other queues. A lane works until nothing is due. One that finds something opens another beside it.
"""

import asyncio
import time
from collections import defaultdict
from functools import partial
from typing import Final

from threengram.core.errors import Unavailable
from threengram.core.jobs.executor import Ended, Executor
from threengram.runtime.failures import error_class
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import JOB_DURATION
from threengram.worker.connections import Connections
from threengram.worker.loop import BackgroundLoop
from threengram.worker.task_runner import Counts

OPENING_LIMIT_S: Final = 30.0
_log = get_logger(__name__)


class Lanes:
    """Up to `slots` lanes of each queue. Everything but `stop` and `join` happens on the background loop."""

    def __init__(
        self, executor: Executor[Connections], connections: Connections, background: BackgroundLoop, *, slots: int
    ) -> None:
        self._executor = executor
        self._connections = connections
        self._background = background
        self._slots = slots
        self._open: dict[str, set[asyncio.Task[None]]] = defaultdict(set)
        self._is_stopping = False

    async def ring(self, queue: str) -> Counts:
        """Open a lane unless all are. Raises `Unavailable` without a database, `GuardViolation` without isolation."""
        await self._connections.require_isolation()
        self._widen(queue)
        return {}

    def stop(self, grace_s: float) -> None:
        """Let runs begin no more, and give back what still runs after `grace_s`. Returns at once; from any thread."""
        self._is_stopping = True
        loop = self._background.loop
        loop.call_soon_threadsafe(loop.call_later, grace_s, self._cancel)

    def join(self) -> None:
        """Wait until every lane is closed; not from the loop's own thread."""
        self._background.submit(self._closed()).result()

    def _widen(self, queue: str) -> None:
        if not self._is_stopping and len(self._open[queue]) < self._slots:
            lane = asyncio.create_task(self._lane(queue))
            self._open[queue].add(lane)
            lane.add_done_callback(partial(self._left, queue))

    async def _lane(self, queue: str) -> None:
        while not self._is_stopping:
            run = await self._executor.claim(queue)
            if run is None:
                return
            self._widen(queue)
            started = time.perf_counter()
            ended = await self._executor.carry_out(run)
            _tell(queue, ended, time.perf_counter() - started)

    def _left(self, queue: str, lane: asyncio.Task[None]) -> None:
        self._open[queue].discard(lane)
        error = None if lane.cancelled() else lane.exception()
        if isinstance(error, Unavailable):
            # The rows are there still, and beat rings for them again.
            _log.warning("queue_unavailable", queue=queue, error_class=error_class(error))
        elif error is not None:
            _log.error("lane_failed", queue=queue, error_class=error_class(error))

    def _cancel(self) -> None:
        for lanes in self._open.values():
            for lane in lanes:
                lane.cancel()

    async def _closed(self) -> None:
        await asyncio.gather(*(lane for lanes in self._open.values() for lane in lanes), return_exceptions=True)


def _tell(queue: str, ended: Ended, elapsed_s: float) -> None:
    JOB_DURATION.labels(queue, ended.run.kind, ended.outcome).observe(elapsed_s)
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
