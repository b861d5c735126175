"""The life of an HTTP process: start, serve on two sockets of one loop, drain, exit with 0."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final, Literal

import uvicorn
import uvloop
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from threengram.runtime import metrics
from threengram.runtime.health import Health, Phase, admin_app
from threengram.runtime.logging import get_logger
from threengram.runtime.settings import ServiceSettings

_KEEP_ALIVE_S: Final = 75
_ADMIN_GRACE_S: Final = 1
_TICK_S: Final = 0.05
_BACKLOG: Final = 2048
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_log = get_logger(__name__)


class _Drain:
    """ASGI layer that tells clients to reconnect elsewhere, once the process drains."""

    def __init__(self, app: ASGIApp, health: Health) -> None:
        self._app = app
        self._health = health

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._lifespan(scope, receive, send)
            return

        async def closing(message: Message) -> None:
            if message["type"] == "http.response.start" and self._health.is_draining:
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
            await send(message)

        await self._app(scope, receive, closing)

    async def _lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except BaseException as error:
            # The server only logs the message, which is not written; this says where and what.
            _log.exception("startup_failed" if self._health.phase is Phase.STARTING else "shutdown_failed", error)
            raise


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals to `run` and lingers before it closes idle connections."""

    linger_s = 0.0
    on_started: Callable[[], None] | None = None

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.on_started is not None:
            self.on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # This closes the process's own descriptors only: the socket of whoever passed it keeps listening.
        for server in self.servers:
            server.close()
        # A request may already be on its way on an idle connection; closing now would lose it.
        until = time.monotonic() + self.linger_s
        # uvicorn has no event for the end of the last connection, so it polls too.
        while self.server_state.connections and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(_TICK_S)
        await super().shutdown(sockets)


def _listeners(host: str, port: int, inherited_fd: int | None) -> list[socket.socket]:
    """The sockets to serve on, with one port. `::` is every address of either kind: a pod may have both.

    IPv4 has a socket of its own then, so that its peers keep the addresses that limits and trusted proxies go by.
    """
    if inherited_fd is not None:
        # A duplicate, so that closing it here leaves the inherited number valid.
        listeners = [socket.socket(fileno=os.dup(inherited_fd))]
    else:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listeners = [socket.create_server((host, port), family=family, backlog=_BACKLOG)]
        if host == "::":
            same = listeners[0].getsockname()[1]
            listeners.append(socket.create_server(("", same), family=socket.AF_INET, backlog=_BACKLOG))
    for listener in listeners:
        listener.setblocking(False)
    return listeners


def _server(app: ASGIApp, *, grace_s: float, lifespan: Literal["on", "off"], trusted_proxies: str | None) -> _Server:
    config = uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan=lifespan,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=trusted_proxies is not None,
        forwarded_allow_ips=trusted_proxies,
        timeout_keep_alive=_KEEP_ALIVE_S,
        # A pipelined request must not inherit the deadline or span of the one before it.
        reset_contextvars=True,
    )
    # Declared as whole seconds, but the value only reaches `asyncio.wait_for`, which takes fractions.
    config.timeout_graceful_shutdown = grace_s  # type: ignore[assignment]
    return _Server(config)


@contextlib.asynccontextmanager
async def admin_served(app: ASGIApp, settings: ServiceSettings) -> AsyncIterator[int]:
    """`app` on the admin port for as long as the block runs, on its loop; yields the port."""
    server = _server(app, grace_s=_ADMIN_GRACE_S, lifespan="off", trusted_proxies=None)
    listeners = _listeners(settings.admin_host, settings.admin_port, settings.admin_listen_fd)
    serving = asyncio.create_task(server.serve(sockets=listeners))
    try:
        yield listeners[0].getsockname()[1]
    finally:
        server.should_exit = True
        await serving


def run(app: ASGIApp, settings: ServiceSettings, *, service: str, health: Health) -> None:
    """Serve `app` and the admin endpoints until SIGTERM or SIGINT, then drain and return.

    Draining: readiness answers 503 at once, the listener closes, idle connections get `drain_linger_s` for a request
    that is already on its way, every response says `Connection: close`, and requests in flight have `shutdown_grace_s`
    in all. The app's lifespan is honoured; when its startup fails the process exits with 3.
    """
    health.begin_startup()
    metrics.set_build_info(service)
    uvloop.run(_serve(app, settings, health))


async def _serve(app: ASGIApp, settings: ServiceSettings, health: Health) -> None:
    linger_s = min(settings.drain_linger_s, settings.shutdown_grace_s)
    main = _server(
        _Drain(app, health),
        grace_s=settings.shutdown_grace_s - linger_s,
        lifespan="on",
        trusted_proxies=settings.trusted_proxies,
    )
    main.linger_s = linger_s
    listeners = _listeners(settings.host, settings.port, settings.listen_fd)
    port = listeners[0].getsockname()[1]

    def stop() -> None:
        # A second signal doesn't hurry: whoever wants that has SIGKILL.
        if not health.is_draining:
            health.drain()
            _log.info("drain_started")
        main.should_exit = True

    def started() -> None:
        # What startup built lives as long as the process; frozen, it is never traversed by the collector again.
        gc.collect()
        gc.freeze()
        health.finish_startup()
        _log.info("process_started", port=port, admin_port=admin_port, pid=os.getpid())

    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stop)
    async with admin_served(admin_app(health), settings) as admin_port:
        main.on_started = started
        await main.serve(sockets=listeners)
    _log.info("process_stopped", pid=os.getpid())
