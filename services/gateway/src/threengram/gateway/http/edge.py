"""The outermost gate of `/mcp`: it reads headers only, ahead of authentication and rate limits.

Method, then Origin. `Host` is not looked at: behind a proxy it says nothing, and this endpoint takes no ambient
credential that a rebound name could spend.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from threengram.gateway.http import origins
from threengram.gateway.http.messages import FAILED, INVALID_REQUEST
from threengram.gateway.http.replies import Reply, rpc_error

_ALLOW = (b"allow", b"POST")
_METHOD_NOT_ALLOWED = Reply(405, rpc_error(None, FAILED, "Method not allowed; POST a message"), (_ALLOW,))
_ORIGIN_REFUSED = Reply(403, rpc_error(None, INVALID_REQUEST, "Origin not allowed"))
_OPTIONS = Reply(204, headers=(_ALLOW,))
_PREFLIGHT = Reply(204, headers=origins.PREFLIGHT_HEADERS)


class Edge:
    """Refuses other methods and unlisted origins, and adds response headers that inner layers collect.

    Inner layers append to `scope["state"]["response_headers"]`; they are sent with whatever answer is given.
    """

    def __init__(self, app: ASGIApp, allowed_origins: frozenset[str]) -> None:
        self._app = app
        self._allowed = allowed_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        extra = [origins.VARY_ORIGIN]
        origin = _trim_values(scope)
        is_listed = origin is not None and origins.normalised(origin.decode("latin-1")) in self._allowed
        if origin is not None and is_listed:
            extra += origins.allowing(origin)
        scope.setdefault("state", {})["response_headers"] = extra

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        refusal = _refusal(scope["method"], origin, is_listed)
        if refusal is not None:
            await refusal.send(send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)


def _refusal(method: str, origin: bytes | None, is_listed: bool) -> Reply | None:
    if method not in ("POST", "OPTIONS"):
        return _METHOD_NOT_ALLOWED
    if origin is not None and not is_listed:
        return _ORIGIN_REFUSED
    if method == "OPTIONS":
        return _OPTIONS if origin is None else _PREFLIGHT
    return None


def _trim_values(scope: Scope) -> bytes | None:
    """The Origin. Optional white space around field values is removed (RFC 9110, section 5.5): parsers may keep it."""
    origin = None
    headers = scope["headers"]
    for index, (name, value) in enumerate(headers):
        if value[-1:].isspace() or value[:1].isspace():
            value = value.strip()
            if headers is scope["headers"]:
                headers = [*headers]
            headers[index] = (name, value)
        if name == b"origin":
            # Two origins agree with no browser; the one that is not listed decides.
            origin = value if origin is None else b"null"
    scope["headers"] = headers
    return origin
