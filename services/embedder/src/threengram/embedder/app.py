"""Composition root of `embedder`: settings in, a running process out."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from threengram.embedder.endpoints import Endpoints, failed, gone, http_error, refused
from threengram.embedder.engines import Engines, load
from threengram.embedder.errors import Refusal, Unready
from threengram.embedder.heap import share_one_heap
from threengram.embedder.intake import Intake
from threengram.embedder.settings import Settings
from threengram.runtime import server, telemetry
from threengram.runtime.health import Health
from threengram.runtime.logging import get_logger

SERVICE = "embedder"

_log = get_logger(__name__)


class Embedder:
    """The state of the process: its settings, and the engines once they are loaded."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engines: Engines | None = None

    @property
    def engines(self) -> Engines:
        """The loaded engines. Raises `Unready`."""
        if self._engines is None:
            raise Unready("the models are not loaded")
        return self._engines

    async def check(self) -> None:
        """Readiness: every model is loaded and can take work."""
        await self.engines.check()

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Load, warm up and start; stop at the end."""
        started_at = time.monotonic()
        engines = await to_thread.run_sync(load, self._settings)
        engines.start()
        self._engines = engines
        duration_s = round(time.monotonic() - started_at, 3)
        for name in engines.names:
            _log.info("model_loaded", model=name, duration_s=duration_s)
        try:
            yield
        finally:
            self._engines = None
            await engines.stop()


def build(settings: Settings) -> tuple[Starlette, Health]:
    """The application and its health; the models are loaded by the application's lifespan."""
    embedder = Embedder(settings)
    intake = Intake(max_body_bytes=settings.max_body_bytes, max_pending_bytes=settings.max_pending_body_bytes)
    endpoints = Endpoints(embedder, intake)
    app = Starlette(
        routes=[
            Route("/v1/embeddings", endpoints.embeddings, methods=["POST"]),
            Route("/v1/models", endpoints.models, methods=["GET"]),
        ],
        exception_handlers={Refusal: refused, ClientDisconnect: gone, HTTPException: http_error, Exception: failed},
        lifespan=embedder.lifespan,
    )
    return app, Health({"model": embedder.check})


def main() -> None:
    """Serve until a signal says stop."""
    share_one_heap()
    settings = Settings()
    with telemetry.observed(SERVICE, settings):
        app, health = build(settings)
        traced = telemetry.TraceMiddleware(app, telemetry.starlette_route)
        server.run(traced, settings, service=SERVICE, health=health)
