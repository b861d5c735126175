"""Health and metrics of a process whose main thread belongs to Celery.

They are served by the loop that does the jobs' work: if that loop stalls, probes get no answer, which is the truth.
"""

import contextlib
import os
from collections.abc import AsyncIterator

from starlette.types import ASGIApp, Receive, Scope, Send

from threengram.runtime.health import Health, admin_app
from threengram.runtime.json import error_body, error_code
from threengram.runtime.logging import get_logger
from threengram.runtime.server import admin_served
from threengram.worker.heartbeat import Heartbeat
from threengram.worker.settings import Settings

_log = get_logger(__name__)


class Liveness:
    """ASGI layer that answers `/livez` with 503 once the heartbeat has stopped; the rest goes to `app`."""

    def __init__(self, app: ASGIApp, heartbeat: Heartbeat) -> None:
        self._app = app
        self._heartbeat = heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"] != "/livez" or self._heartbeat.is_alive():
            await self._app(scope, receive, send)
            return
        body = error_body(error_code(503))
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@contextlib.asynccontextmanager
async def served(settings: Settings, health: Health, heartbeat: Heartbeat) -> AsyncIterator[None]:
    """The admin endpoints, for as long as the block runs."""
    async with admin_served(Liveness(admin_app(health), heartbeat), settings) as port:
        _log.info("admin_started", admin_port=port, pid=os.getpid())
        yield
