"""Composition root of `api`: settings in, a running process out."""

from starlette.applications import Starlette

from threengram.api.settings import Settings
from threengram.runtime import logging, server, telemetry
from threengram.runtime.health import Health
from threengram.runtime.json import EXCEPTION_HANDLERS

SERVICE = "api"


def build() -> Starlette:
    """The ASGI application. A path that it doesn't know answers 404 with the error envelope."""
    return Starlette(routes=[], exception_handlers=EXCEPTION_HANDLERS)


def main() -> None:
    """Serve until a signal says stop."""
    settings = Settings()
    logging.configure(SERVICE, settings)
    tracing = telemetry.configure(SERVICE, settings)
    app = telemetry.TraceMiddleware(build(), telemetry.starlette_route)
    server.run(app, settings, service=SERVICE, health=Health())
    tracing.shutdown()
