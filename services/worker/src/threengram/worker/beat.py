"""Ring for what is due, and publish how much of it there is.

The schedule is in memory: cadences are short and tasks look for due rows themselves, so there is nothing to remember
over a restart, and two beats at once only ring twice.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from celery import Celery
from celery.beat import ScheduleEntry, Scheduler, Service
from redis import Redis, RedisError

from threengram.core.embeddings.pending import backlog
from threengram.core.errors import Unavailable
from threengram.runtime.failures import error_class
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import JOBS_OLDEST_AGE, JOBS_WAITING
from threengram.runtime.telemetry import span
from threengram.worker.connections import BROKER_TIMEOUT_S, Connections
from threengram.worker.loop import BackgroundLoop
from threengram.worker.settings import EMBED, Settings

_MAX_INTERVAL_S: Final = 5.0
_log = get_logger(__name__)


class Doorbell(Scheduler):  # type: ignore[misc]
    """Celery's in-memory scheduler that doesn't ring while an earlier ring waits to be heard.

    So a worker that is behind, or none at all for a day, leaves one message in each queue and not thousands.
    """

    producer = None
    """Publish through the application's pool, which reconnects; the scheduler's own waits for a broker without end."""

    def __init__(self, *args: Any, broker: Redis, on_tick: Callable[[], None], **kwargs: Any) -> None:
        self._broker = broker
        self._on_tick = on_tick
        super().__init__(*args, **kwargs)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Ring for at most one due entry; the seconds until the next call."""
        self._on_tick()
        pause_s: float = super().tick(*args, **kwargs)
        return pause_s

    def apply_entry(self, entry: ScheduleEntry, producer: object = None) -> None:
        """Ring, unless the last ring of this queue was not heard yet. A ring that fails is the next one's work."""
        with span("job.ring", task=entry.task):
            try:
                # A Celery queue on this broker is a list of its name.
                if self._broker.llen(entry.options["queue"]):
                    return
            except RedisError as error:
                _log.warning("ring_failed", error_class=error_class(error), task=entry.task)
                return
            super().apply_entry(entry, producer)


class Gauges:
    """The figures that autoscaling and alerts read, refreshed off the beat's thread so that it never waits for them."""

    def __init__(self, background: BackgroundLoop, connections: Connections) -> None:
        self._background = background
        self._connections = connections
        self._refreshing: Future[None] | None = None

    def refresh(self) -> None:
        """Begin to read the figures anew, unless that is still going on."""
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = self._background.submit(self._read())

    async def _read(self) -> None:
        try:
            found = await backlog(self._connections.database, now=self._connections.clock())
        except Unavailable as error:
            _log.warning("backlog_unknown", error_class=error_class(error))
            return
        JOBS_WAITING.labels(EMBED).set(found.waiting)
        JOBS_OLDEST_AGE.labels(EMBED).set(found.oldest_age_s)


def service(app: Celery, settings: Settings, on_tick: Callable[[], None]) -> Service:
    """Celery's beat, ready to start; `on_tick` is called each time round, at least every interval of embedding."""
    broker = Redis.from_url(
        settings.redis_url.get_secret_value(),
        socket_connect_timeout=BROKER_TIMEOUT_S,
        socket_timeout=BROKER_TIMEOUT_S,
    )
    return Service(
        app,
        max_interval=min(settings.embed_interval_s, _MAX_INTERVAL_S),
        scheduler_cls=partial(Doorbell, broker=broker, on_tick=on_tick),
    )
