"""Public metadata documents, which any page may read: of this resource (RFC 9728) and of its authorization server."""

from collections.abc import Mapping

import orjson
from starlette.types import Receive, Scope, Send

from threengram.gateway.http.origins import PREFLIGHT_HEADERS
from threengram.gateway.http.replies import Reply, plain_error

RESOURCE_PATH = "/.well-known/oauth-protected-resource"
SERVER_PATH = "/.well-known/oauth-authorization-server"
"""Clients of before 2025-06 look for the authorization server at the resource's own origin."""

_ANY_ORIGIN = (b"access-control-allow-origin", b"*")
_ALLOW = (b"allow", b"GET, HEAD, OPTIONS")


class PublicDocument:
    """A document. Its URLs are the configured strings: a client compares them character by character."""

    def __init__(self, document: Mapping[str, object]) -> None:
        caching = (b"cache-control", b"public, max-age=3600")
        self._found = Reply(200, orjson.dumps(document), (_ANY_ORIGIN, caching))

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        await self._reply(scope["method"]).send(send)

    def _reply(self, method: str) -> Reply:
        if method in ("GET", "HEAD"):
            return self._found
        if method == "OPTIONS":
            allowed = (b"access-control-allow-methods", b"GET, HEAD")
            return Reply(204, headers=(_ANY_ORIGIN, allowed, *PREFLIGHT_HEADERS[1:]))
        return Reply(405, plain_error("method_not_allowed", "Read this document with GET."), (_ANY_ORIGIN, _ALLOW))
