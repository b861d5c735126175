"""Web origins: one spelling, and what a browser is told about them (Fetch standard, CORS)."""

from collections.abc import Iterable
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}

PREFLIGHT_HEADERS = (
    (b"access-control-allow-methods", b"POST"),
    # `*` covers everything but Authorization; the names are for browsers that do not know the wildcard.
    (
        b"access-control-allow-headers",
        b"Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, "
        b"Last-Event-ID, Traceparent, Tracestate, *",
    ),
    (b"access-control-max-age", b"7200"),
)
_EXPOSED = (
    b"access-control-expose-headers",
    b"WWW-Authenticate, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset",
)
VARY_ORIGIN = (b"vary", b"Origin")


def normalised(origin: str) -> str | None:
    """`scheme://host[:port]` in lower case without a default port; None for `null` and whatever is no origin."""
    try:
        parts = urlsplit(origin.strip())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None:
        return None
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    is_default = port is None or port == _DEFAULT_PORTS[parts.scheme.lower()]
    return f"{parts.scheme.lower()}://{host}" if is_default else f"{parts.scheme.lower()}://{host}:{port}"


def allowlist(origins: Iterable[str | None]) -> frozenset[str]:
    """The origins that may call; raises `ValueError` on one that could never match: a setting is wrong."""
    allowed = set()
    for origin in origins:
        if origin is None:
            continue
        spelling = normalised(origin)
        if spelling is None:
            raise ValueError("an allowed origin must be http(s)://host[:port]")
        allowed.add(spelling)
    return frozenset(allowed)


def allowing(origin: bytes) -> list[tuple[bytes, bytes]]:
    """Response headers that let a page of this origin read the answer. No credentials mode: there are no cookies."""
    return [(b"access-control-allow-origin", origin), _EXPOSED]
