"""Composition root of `cimd`: settings in, a running process out."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.cimd.settings import Settings
from threengram.runtime import logging, server, telemetry
from threengram.runtime.health import Health
from threengram.runtime.json import EXCEPTION_HANDLERS, JsonResponse
from threengram.schema.errors import ErrorBody, ErrorCode

SERVICE = "cimd"


def build() -> Starlette:
    """The ASGI application. A path that it doesn't know answers 404 with the error envelope."""
    return Starlette(routes=[Route("/v1/resolve", _resolve, methods=["POST"])], exception_handlers=EXCEPTION_HANDLERS)


async def _resolve(_request: Request) -> Response:
    """Nothing is fetched where fetching is not configured; the caller goes on without the document."""
    body = ErrorBody(error=ErrorCode.UNAVAILABLE, detail="not configured", retryable=False)
    return JsonResponse(body.wire(), status_code=503)


def main() -> None:
    """Serve until a signal says stop."""
    settings = Settings()
    logging.configure(SERVICE, settings)
    tracing = telemetry.configure(SERVICE, settings)
    app = telemetry.TraceMiddleware(build(), telemetry.starlette_route)
    server.run(app, settings, service=SERVICE, health=Health())
    tracing.shutdown()
