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
from threengram.embedder.engine import Engine
from threengram.embedder.errors import Refusal, Unready
from threengram.embedder.hashing import HashingModel
from threengram.embedder.heap import share_one_heap
from threengram.embedder.intake import Intake
from threengram.embedder.model import OnnxModel
from threengram.embedder.settings import Provider, Settings
from threengram.embedder.spec import bundled, from_directory
from threengram.runtime import logging, server, telemetry
from threengram.runtime.health import Health
from threengram.runtime.logging import get_logger

SERVICE = "embedder"

_log = get_logger(__name__)


def load_engine(settings: Settings) -> Engine:
    """The engine of the configured provider, after one inference. Blocks for about a second."""
    if settings.provider is Provider.HASH:
        model = HashingModel()
        return Engine(model, model, settings)
    spec = bundled() if settings.model_dir is None else from_directory(settings.model_dir)
    foreground = OnnxModel(spec, threads=settings.threads)
    # With one thread a run belongs to its calling thread, so backfill needs no copy of the weights to be apart.
    background = foreground if settings.threads == 1 else OnnxModel(spec, threads=1)
    return Engine(foreground, background, settings)


class Embedder:
    """The state of the process: its settings, and the engine once it is loaded."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The loaded engine. Raises `Unready`."""
        if self._engine is None:
            raise Unready("the model is not loaded")
        return self._engine

    async def check(self) -> None:
        """Readiness: the model is loaded, has run once, and its lanes work."""
        await self.engine.check()

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Load, warm up and start; stop at the end."""
        started_at = time.monotonic()
        engine = await to_thread.run_sync(load_engine, self._settings)
        engine.start()
        self._engine = engine
        _log.info("model_loaded", model=engine.model.name, duration_s=round(time.monotonic() - started_at, 3))
        try:
            yield
        finally:
            self._engine = None
            await to_thread.run_sync(engine.stop)


def build(settings: Settings) -> tuple[Starlette, Health]:
    """The application and its health; the model is loaded by the application's lifespan."""
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
    logging.configure(SERVICE, settings)
    tracing = telemetry.configure(SERVICE, settings)
    app, health = build(settings)
    traced = telemetry.TraceMiddleware(app, telemetry.starlette_route)
    server.run(traced, settings, service=SERVICE, health=health)
    tracing.shutdown()
