"""Protected resource metadata (RFC 9728): public, so that any page may read it."""

import orjson
from starlette.types import Receive, Scope, Send

from threengram.gateway.auth import SUPPORTED_SCOPES
from threengram.gateway.http.origins import PREFLIGHT_HEADERS
from threengram.gateway.http.replies import Reply, plain_error

WELL_KNOWN = "/.well-known/oauth-protected-resource"
RESOURCE_NAME = "3ngram"
_ANY_ORIGIN = (b"access-control-allow-origin", b"*")
_ALLOW = (b"allow", b"GET, HEAD, OPTIONS")


class ResourceMetadata:
    """The document. Its URLs are the configured strings: a client compares them character by character."""

    def __init__(self, resource: str, issuer: str) -> None:
        document = {
            "resource": resource,
            "authorization_servers": [issuer],
            "scopes_supported": list(SUPPORTED_SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": RESOURCE_NAME,
        }
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
