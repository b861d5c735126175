"""Outbound HTTP between services: explicit timeouts, bounded pools, no redirects, trace context on every request."""

from collections.abc import Mapping
from typing import Final

import httpx2

from threengram.runtime.tracing import current_traceparent

_KEEPALIVE_EXPIRY_S: Final = 30.0


async def _inject_traceparent(request: httpx2.Request) -> None:
    traceparent = current_traceparent()
    if traceparent is not None:
        request.headers["traceparent"] = traceparent


def client(
    base_url: str,
    *,
    timeout_s: float,
    max_connections: int,
    connect_timeout_s: float = 1.0,
    headers: Mapping[str, str] | None = None,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> httpx2.AsyncClient:
    """A client for one peer; close it in the owner's shutdown.

    `timeout_s` bounds each read and write and the wait for a pooled connection, not the whole exchange: wrap that in a
    `deadline`. Proxy variables and `.netrc` of the environment are ignored, so that an internal call can't be diverted.
    """
    return httpx2.AsyncClient(
        base_url=base_url,
        headers=headers,
        timeout=httpx2.Timeout(timeout_s, connect=min(connect_timeout_s, timeout_s)),
        limits=httpx2.Limits(
            max_connections=max_connections,
            max_keepalive_connections=max_connections,
            keepalive_expiry=_KEEPALIVE_EXPIRY_S,
        ),
        follow_redirects=False,
        trust_env=False,
        transport=transport,
        event_hooks={"request": [_inject_traceparent]},
    )
