"""How a Celery task runs a coroutine: on the background loop, within limits, under a span, counted and logged."""

import asyncio
import os
import threading
import time
from collections.abc import Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from typing import Any, Final

from celery import Task
from celery.exceptions import Ignore, Retry

from threengram.core.errors import Unavailable
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import JOB_DURATION
from threengram.runtime.telemetry import span_from
from threengram.worker.app import EMBED_PENDING, TRACEPARENT
from threengram.worker.consumer import AnsweringRequest
from threengram.worker.loop import BackgroundLoop

STUCK_AFTER_S: Final = 10.0
_EXIT_STUCK: Final = 70
_log = get_logger(__name__)

Counts = Mapping[str, int]


class TaskRunner:
    """The running coroutines of the process, and their end.

    `time_limit_s` cancels a coroutine. One that still runs `STUCK_AFTER_S` later blocks the loop that everything else
    needs, and a thread can't be killed: the process ends at once, is replaced by whoever supervises it, and its rows
    come back with their leases.
    """

    def __init__(self, background: BackgroundLoop) -> None:
        self._background = background
        self._running: set[Future[Any]] = set()
        self._lock = threading.Lock()
        self.is_stopping = False

    def run(self, work: Coroutine[Any, Any, Counts], *, time_limit_s: float) -> Counts:
        """What the coroutine counted. Raises `TimeoutError` past the limit and `CancelledError` on shutdown."""
        future = self._background.submit(_limited(work, time_limit_s))
        with self._lock:
            self._running.add(future)
        try:
            return future.result(time_limit_s + STUCK_AFTER_S)
        except TimeoutError:
            if not future.done():
                _log.error("job_stuck", timeout_s=time_limit_s, pid=os.getpid())
                os._exit(_EXIT_STUCK)
            raise
        finally:
            with self._lock:
                self._running.discard(future)

    def stop(self, grace_s: float) -> None:
        """Let what runs begin nothing new, and cancel what still runs after `grace_s`. Returns at once."""
        self.is_stopping = True
        self._background.loop.call_soon_threadsafe(self._background.loop.call_later, grace_s, self._cancel)

    def _cancel(self) -> None:
        with self._lock:
            running = list(self._running)
        for future in running:
            future.cancel()


async def _limited(work: Coroutine[Any, Any, Counts], time_limit_s: float) -> Counts:
    async with asyncio.timeout(time_limit_s):
        return await work


class RungTask(Task):  # type: ignore[misc]
    """Base of all tasks: a bounded number of jittered retries while something is unavailable, one span, one metric."""

    Request = AnsweringRequest
    autoretry_for = (Unavailable,)
    max_retries = 3
    retry_backoff = 2
    retry_backoff_max = 60
    retry_jitter = True

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """One attempt. Its outcome is counted here; Celery decides what follows from it."""
        queue = self.queue
        started = time.perf_counter()
        outcome, counts = "failed", {}
        with span_from(self.request.get(TRACEPARENT), "job.run", task=self.name, queue=queue):
            try:
                counts = self.run(*args, **kwargs)
                outcome = "ok"
            except Retry:
                outcome = "retry"
                raise
            except CancelledError:
                outcome = "lost_lease"
                raise Ignore from None
            finally:
                elapsed_s = time.perf_counter() - started
                if self.name == EMBED_PENDING or outcome != "ok":
                    # A turn at job runs that went well is told by its runs.
                    JOB_DURATION.labels(queue, self.name, outcome).observe(elapsed_s)
                write = _log.info if outcome != "ok" or any(counts.values()) else _log.debug
                write("job_finished", task=self.name, outcome=outcome, duration_ms=round(elapsed_s * 1000, 1), **counts)
