"""Composition root of `gateway`: settings in, a running process out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial

from starlette.types import ASGIApp

from threengram.core.call import Core, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db import guard, schema
from threengram.core.db.database import Database
from threengram.core.embeddings.following import FollowingEmbedder
from threengram.core.identity.keys import PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.core.oauth.resources import MCP_PATH
from threengram.gateway.build import Collaborators, Limits, build_app
from threengram.gateway.settings import Settings
from threengram.gateway.tools import TOOLS
from threengram.runtime import logging, server, telemetry
from threengram.runtime.health import Health
from threengram.runtime.observing import TelemetryObserver, observe_pool, traceparent_header
from threengram.runtime.ratelimit import RateLimiter

SERVICE = "gateway"


def _now() -> datetime:
    return datetime.now(UTC)


class Gateway:
    """The connections of the process. They are opened by the application's lifespan, before it serves."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(
            settings.database_url.get_secret_value(),
            pool_min=settings.database_pool_min,
            pool_max=settings.database_pool_max,
            observer=TelemetryObserver(),
        )
        observe_pool(self.database.pool.get_stats)
        self.limiter = RateLimiter(settings.redis_url.get_secret_value())
        self.embedder: FollowingEmbedder | None = None
        if settings.embedder_url is not None:
            self.embedder = FollowingEmbedder(self.database, settings.embedder_url, headers=traceparent_header)
        self.core = Core(
            database=self.database,
            embedder=self.embedder,
            cursors=CursorSealer.from_text(settings.cursor_key.get_secret_value()),
            clock=_now,
            embed_query_timeout_s=settings.embed_query_timeout_ms / 1000,
            embed_write_timeout_s=settings.embed_write_timeout_ms / 1000,
        )

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Connections for as long as the block runs."""
        try:
            await schema.open_when_ready(self.database, timeout_s=self.settings.startup_timeout_s)
            await guard.check(self.database)
            await self.limiter.start()
            yield
        finally:
            if self.embedder is not None:
                await self.embedder.close()
            await self.limiter.aclose()
            await self.database.close()

    def app(self) -> ASGIApp:
        """The ASGI application."""
        settings = self.settings
        resource = f"{settings.public_url}{MCP_PATH}"
        verifier = AccessTokenVerifier(issuer=settings.issuer_url, audience=resource, keys=PublishedKeys(self.database))
        return build_app(
            Collaborators(
                tools=TOOLS,
                verifier=verifier,
                limiter=self.limiter,
                open_call=partial(open_call, self.core),
                lifespan=self.opened,
            ),
            public_url=settings.public_url,
            issuer_url=settings.issuer_url,
            allowed_origins=(settings.web_app_url, *settings.mcp_allowed_origins),
            limits=Limits(settings.calls_per_minute, settings.max_body_bytes, settings.request_timeout_s),
        )

    def health(self) -> Health:
        """Ready with a guarded database and reachable counters; without the embedder search is lexical, no more."""
        degraded = {} if self.embedder is None else {"embedder": self.embedder.check}
        return Health(
            {"database": partial(guard.check, self.database), "limiter": self.limiter.check}, degraded=degraded
        )


def main() -> None:
    """Serve until a signal says stop."""
    settings = Settings.model_validate({})
    logging.configure(SERVICE, settings)
    tracing = telemetry.configure(SERVICE, settings)
    gateway = Gateway(settings)
    server.run(gateway.app(), settings, service=SERVICE, health=gateway.health())
    tracing.shutdown()
