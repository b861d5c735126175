"""The outermost ASGI layer: a span, one access line and the HTTP metrics for each request."""

import time
from collections.abc import Callable
from typing import Final

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from threengram.runtime.json import crash_body
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import (
    HTTP_METHODS,
    HTTP_SERVER_ACTIVE,
    HTTP_SERVER_DURATION,
    OTHER,
    closed,
    status_class,
)
from threengram.runtime.tracing import OpenSpan, remote_parent

_MAX_ROUTES: Final = 256
_log = get_logger(__name__)

RouteOf = Callable[[Scope], str | None]


def state_route(scope: Scope) -> str | None:
    """What the application left in `scope["state"]["route"]`."""
    route = scope["state"].get("route")
    return route if isinstance(route, str) else None


def starlette_route(scope: Scope) -> str | None:
    """The path template that Starlette or FastAPI matched, such as `/api/v1/memories/{memory_id}`."""
    return getattr(scope.get("route"), "path", None)


class _Exchange:
    """What is known about one request while it is answered."""

    __slots__ = ("bytes_out", "complete", "send", "started", "status")

    def __init__(self, send: Send) -> None:
        self.send = send
        self.status = 0
        self.bytes_out = 0
        self.started = False
        self.complete = False

    async def forward(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.started = True
        elif message["type"] == "http.response.body":
            self.bytes_out += len(message.get("body", b""))
            self.complete = not message.get("more_body", False)
        await self.send(message)


class TraceMiddleware:
    """Pure ASGI. Reads `traceparent`, opens the request's span, and writes one access line when the response is done.

    The access line and the metrics carry a route template, never a path: what `route_of(scope)` returns after the
    application has run, by default `scope["state"]["route"]`, and `other` for None. An exception that gets here is
    logged with its class, frames and the trace id as correlation id, and answered with a fixed 500 unless a response
    has begun.
    """

    def __init__(self, app: ASGIApp, route_of: RouteOf = state_route) -> None:
        self._app = app
        self._route_of = route_of
        self._routes: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI scope; only `http` ones are observed."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})
        method = closed(scope["method"], HTTP_METHODS)
        exchange = _Exchange(send)
        started = time.perf_counter()
        HTTP_SERVER_ACTIVE.inc()
        try:
            with OpenSpan(method, {"method": method}, _parent_of(scope), SpanKind.SERVER) as span:
                try:
                    await self._answer(scope, receive, exchange, span)
                finally:
                    # Also when the response broke off or the request was cancelled.
                    self._account(scope, method, exchange, span, time.perf_counter() - started)
        finally:
            HTTP_SERVER_ACTIVE.dec()

    async def _answer(self, scope: Scope, receive: Receive, exchange: _Exchange, span: OpenSpan) -> None:
        try:
            await self._app(scope, receive, exchange.forward)
        except Exception as error:  # The one broad handler of an HTTP process: nothing above it could answer.
            _log.exception("request_failed", error, correlation_id=span.trace_id)
            if not exchange.started:
                await _internal_error(exchange.forward, span.trace_id)
            elif not exchange.complete:
                # The status line is gone; only breaking the connection tells the client.
                raise

    def _account(self, scope: Scope, method: str, exchange: _Exchange, span: OpenSpan, elapsed_s: float) -> None:
        route = self._route(scope)
        span.rename(f"{method} {route}")
        span.set(route=route, status=exchange.status)
        if exchange.status >= 500:
            span.fail(str(exchange.status))
        HTTP_SERVER_DURATION.labels(method, route, status_class(exchange.status)).observe(elapsed_s)
        _log.info(
            "request_served",
            method=method,
            route=route,
            status=exchange.status,
            duration_ms=round(elapsed_s * 1000, 2),
            bytes_out=exchange.bytes_out,
        )

    def _route(self, scope: Scope) -> str:
        """The route label. Routes are templates, so there are few; a cap keeps a mistaken path from becoming series."""
        route = self._route_of(scope)
        if route is None:
            return OTHER
        if route not in self._routes:
            if len(self._routes) >= _MAX_ROUTES:
                return OTHER
            self._routes.add(route)
        return route


def _parent_of(scope: Scope) -> Context:
    traceparent = tracestate = None
    for name, value in scope["headers"]:
        if name == b"traceparent":
            traceparent = value.decode("latin-1")
        elif name == b"tracestate":
            tracestate = value.decode("latin-1")
    return remote_parent(traceparent, tracestate)


async def _internal_error(send: Send, correlation_id: str) -> None:
    body = crash_body(correlation_id)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 500, "headers": headers})
    await send({"type": "http.response.body", "body": body})
