"""What a process that answers callers is connected to: the database, the shared counters, the embedder."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from threengram.core.call import Core, OpenCall, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db import guard, schema
from threengram.core.db.database import Database
from threengram.core.embeddings.following import FollowingEmbedder
from threengram.core.time.clock import Clock, system_clock
from threengram.edge.settings import EdgeSettings
from threengram.runtime.health import Check, Health
from threengram.runtime.observing import TelemetryObserver, observe_pool, traceparent_header
from threengram.runtime.ratelimit import RateLimiter


class Connections:
    """Made at once, opened by the application's lifespan before it serves."""

    def __init__(self, settings: EdgeSettings, clock: Clock = system_clock) -> None:
        self._startup_timeout_s = settings.startup_timeout_s
        self.clock = clock
        self.database = Database(
            settings.database_url.get_secret_value(),
            pool_min=settings.database_pool_min,
            pool_max=settings.database_pool_max,
            keeps_plans=settings.database_prepared_statements,
            observer=TelemetryObserver(),
        )
        observe_pool(self.database.pool.get_stats)
        self.limiter = RateLimiter(settings.redis_url.get_secret_value())
        self._embedder: FollowingEmbedder | None = None
        if settings.embedder_url is not None:
            self._embedder = FollowingEmbedder(self.database, settings.embedder_url, headers=traceparent_header)
        self._core = Core(
            database=self.database,
            embedder=self._embedder,
            cursors=CursorSealer.from_text(settings.cursor_key.get_secret_value()),
            clock=clock,
            embed_query_timeout_s=settings.embed_query_timeout_ms / 1000,
            embed_write_timeout_s=settings.embed_write_timeout_ms / 1000,
        )

    @property
    def open_call(self) -> OpenCall:
        """Opens an authorised call on these connections."""
        return partial(open_call, self._core)

    @property
    def cursors(self) -> CursorSealer:
        """Seals what travels through the hands of callers."""
        return self._core.cursors

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """The connections, for as long as the block runs; isolation is in force before it does."""
        try:
            await schema.open_when_ready(self.database, timeout_s=self._startup_timeout_s)
            await guard.check(self.database)
            await self.limiter.start()
            yield
        finally:
            if self._embedder is not None:
                await self._embedder.close()
            await self.limiter.aclose()
            await self.database.close()

    def health(self, degraded: Mapping[str, Check] | None = None) -> Health:
        """Ready with a guarded database and reachable counters; without the embedder search is lexical, no more.

        `degraded` are further checks whose failure leaves the process ready.
        """
        checks: dict[str, Check] = {"database": partial(guard.check, self.database), "limiter": self.limiter.check}
        tolerated: dict[str, Check] = dict(degraded or {})
        if self._embedder is not None:
            tolerated["embedder"] = self._embedder.check
        return Health(checks, tolerated)
