"""Health and metrics of a process whose main thread belongs to Celery.

They are served by the loop that does the jobs' work: if that loop stalls, probes get no answer, which is the truth.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from threengram.runtime.health import Health, admin_app
from threengram.runtime.json import error_body, error_code
from threengram.runtime.logging import get_logger
from threengram.worker.heartbeat import Heartbeat
from threengram.worker.settings import Settings

_GRACE_S = 1
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


class _Server(uvicorn.Server):
    """Leaves signals to the main thread."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def served(settings: Settings, health: Health, heartbeat: Heartbeat) -> AsyncIterator[None]:
    """The admin endpoints, for as long as the block runs."""
    config = uvicorn.Config(
        Liveness(admin_app(health), heartbeat),
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = _Server(config)
    listener = _listener(settings)
    _log.info("admin_started", admin_port=listener.getsockname()[1], pid=os.getpid())
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await serving


def _listener(settings: Settings) -> socket.socket:
    if settings.admin_listen_fd is not None:
        # A duplicate, so that closing it here leaves the inherited number valid.
        return socket.socket(fileno=os.dup(settings.admin_listen_fd))
    family = socket.AF_INET6 if ":" in settings.admin_host else socket.AF_INET
    return socket.create_server((settings.admin_host, settings.admin_port), family=family)
