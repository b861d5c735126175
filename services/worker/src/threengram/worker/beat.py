"""Ring for what is due, and publish how much of it there is.

The rings' schedule is in memory: they are frequent and tasks look for due rows themselves, so there is nothing to
remember over a restart. Cadences of jobs are slots in rows: two beats at once ring twice and enqueue once.
"""

import math
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from celery import Celery
from celery.beat import ScheduleEntry, Scheduler, Service
from redis import Redis, RedisError

from threengram.core.embeddings.pending import backlog
from threengram.core.errors import Unavailable
from threengram.core.jobs.figures import Figures, figures, leased_embeddings
from threengram.core.jobs.schedule import enqueue_due
from threengram.runtime.failures import error_class
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import JOBS_FAILED, JOBS_OLDEST_AGE, JOBS_RUNNING, JOBS_WAITING
from threengram.runtime.telemetry import span
from threengram.worker.app import EMBED_PENDING
from threengram.worker.connections import BROKER_TIMEOUT_S, Connections
from threengram.worker.loop import BackgroundLoop
from threengram.worker.registry import registry
from threengram.worker.settings import EMBED, QUEUES, Settings

_MAX_INTERVAL_S: Final = 5.0
_log = get_logger(__name__)


class Backlog:
    """What is due, read off the beat's thread so that it never waits for the database.

    Each look also enqueues the runs that the schedule calls for, and publishes the figures that autoscaling and alerts
    read.
    """

    def __init__(self, background: BackgroundLoop, connections: Connections, *, interval_s: float) -> None:
        self._background = background
        self._connections = connections
        self._interval_s = interval_s
        self._jobs = registry(connections.settings)
        self._looked_at = -math.inf
        self._looking: Future[None] | None = None
        # Kinds of a newer or older release are told too, and of those that are gone that they are gone.
        self._kinds = {(job.queue, job.kind) for job in self._jobs} | {(EMBED, EMBED_PENDING)}
        self.due_queues: Collection[str] = QUEUES
        """Queues in which something was due at the last look; all of them before the first."""

    def look(self) -> None:
        """Begin to read the figures anew, unless that is still going on or was done within the interval."""
        now_s = time.monotonic()
        if now_s - self._looked_at >= self._interval_s and (self._looking is None or self._looking.done()):
            self._looked_at = now_s
            self._looking = self._background.submit(self._read())
            self._looking.add_done_callback(_report)

    async def _read(self) -> None:
        database, now = self._connections.database, self._connections.clock()
        try:
            await enqueue_due(database, self._jobs, now=now)
            runs = await figures(database, now=now)
            vectors = await backlog(database, now=now)
            leased = await leased_embeddings(database, now=now) if vectors.waiting else 0
        except Unavailable as error:
            _log.warning("backlog_unknown", error_class=error_class(error))
            return
        found = {(one.queue, one.kind): one for one in runs}
        found[EMBED, EMBED_PENDING] = Figures(EMBED, EMBED_PENDING, vectors.waiting, leased, 0, vectors.oldest_age_s)
        self._publish(found)
        self.due_queues = {one.queue for one in found.values() if one.waiting}

    def _publish(self, found: Mapping[tuple[str, str], Figures]) -> None:
        self._kinds |= found.keys()
        for queue, kind in self._kinds:
            one = found.get((queue, kind), Figures(queue, kind, 0, 0, 0, 0.0))
            JOBS_WAITING.labels(queue, kind).set(one.waiting)
            JOBS_RUNNING.labels(queue, kind).set(one.running)
            JOBS_FAILED.labels(queue, kind).set(one.failed)
            JOBS_OLDEST_AGE.labels(queue, kind).set(one.oldest_age_s)


def _report(look: Future[None]) -> None:
    error = None if look.cancelled() else look.exception()
    if error is not None:
        # Such as a schema that is not there yet. The next look tries again.
        _log.error("backlog_failed", error_class=error_class(error))


class Doorbell(Scheduler):  # type: ignore[misc]
    """Celery's in-memory scheduler that doesn't ring while an earlier ring waits to be heard.

    So a worker that is behind, or none at all for a day, leaves one message in each queue and not thousands.
    """

    producer = None
    """Publish through the application's pool, which reconnects; the scheduler's own waits for a broker without end."""

    def __init__(self, *args: Any, broker: Redis, backlog: Backlog, on_tick: Callable[[], None], **kwargs: Any) -> None:
        self._broker = broker
        self._backlog = backlog
        self._on_tick = on_tick
        super().__init__(*args, **kwargs)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Ring for at most one due entry; the seconds until the next call."""
        self._on_tick()
        self._backlog.look()
        pause_s: float = super().tick(*args, **kwargs)
        return pause_s

    def apply_entry(self, entry: ScheduleEntry, producer: object = None) -> None:
        """Ring if something is due in the queue and the last ring was heard. One that fails is the next one's work."""
        queue = entry.options["queue"]
        with span("job.ring", task=entry.task):
            try:
                # A Celery queue on this broker is a list of its name.
                if self._broker.llen(queue) or queue not in self._backlog.due_queues:
                    return
            except RedisError as error:
                _log.warning("ring_failed", error_class=error_class(error), task=entry.task)
                return
            super().apply_entry(entry, producer)


def service(app: Celery, settings: Settings, backlog: Backlog, on_tick: Callable[[], None]) -> Service:
    """Celery's beat, ready to start; `on_tick` is called each time round, at least every interval of embedding."""
    broker = Redis.from_url(
        settings.redis_url.get_secret_value(),
        socket_connect_timeout=BROKER_TIMEOUT_S,
        socket_timeout=BROKER_TIMEOUT_S,
    )
    return Service(
        app,
        max_interval=look_interval_s(settings),
        scheduler_cls=partial(Doorbell, broker=broker, backlog=backlog, on_tick=on_tick),
    )


def look_interval_s(settings: Settings) -> float:
    """How often beat looks for what is due."""
    return min(settings.embed_interval_s, settings.job_interval_s, _MAX_INTERVAL_S)
