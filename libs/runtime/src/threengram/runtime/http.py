"""Outbound HTTP between services: explicit timeouts, bounded pools, no redirects, a span and a metric a request."""

import time
from collections.abc import Mapping
from typing import Final

import httpx2

from threengram.runtime.metrics import HTTP_CLIENT_DURATION, PEERS, closed, status_class
from threengram.runtime.tracing import current_traceparent, span

_KEEPALIVE_EXPIRY_S: Final = 30.0
_FAILED: Final = "failed"


class _Observed(httpx2.AsyncBaseTransport):
    """Carries the trace to the peer and times it until its headers arrive."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, peer: str) -> None:
        self._inner = inner
        self._peer = closed(peer, PEERS)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request inside a span of its own, whose id the peer sees as parent."""
        started = time.perf_counter()
        label = _FAILED
        try:
            with span("client.http", component=self._peer) as current:
                request.headers["traceparent"] = current_traceparent() or ""
                response = await self._inner.handle_async_request(request)
                label = status_class(response.status_code)
                current.set(status=response.status_code)
                return response
        finally:
            HTTP_CLIENT_DURATION.labels(self._peer, label).observe(time.perf_counter() - started)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def client(
    base_url: str,
    *,
    timeout_s: float,
    max_connections: int,
    connect_timeout_s: float = 1.0,
    peer: str = "other",
    headers: Mapping[str, str] | None = None,
) -> httpx2.AsyncClient:
    """A client for one peer, whose name labels the metrics; close it in the owner's shutdown.

    `timeout_s` bounds each read and write and the wait for a pooled connection, not the whole exchange: wrap that in a
    `deadline`. Proxy variables and `.netrc` of the environment are ignored, so that an internal call can't be diverted.
    """
    limits = httpx2.Limits(
        max_connections=max_connections,
        max_keepalive_connections=max_connections,
        keepalive_expiry=_KEEPALIVE_EXPIRY_S,
    )
    return httpx2.AsyncClient(
        base_url=base_url,
        headers=headers,
        timeout=httpx2.Timeout(timeout_s, connect=min(connect_timeout_s, timeout_s)),
        follow_redirects=False,
        trust_env=False,
        transport=_Observed(httpx2.AsyncHTTPTransport(limits=limits, trust_env=False), peer),
    )
