"""The protected resources that tokens are made for, and what may be granted on each (RFC 8707, RFC 9728)."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from authlib.oauth2.rfc6749.errors import InvalidScopeError
from authlib.oauth2.rfc6749.util import scope_to_list

from threengram.core.oauth.errors import InvalidTargetError
from threengram.schema.enums import OAuthScope

MCP_PATH = "/mcp"
API_PATH = "/api/v1"
MEMORY_SCOPES = (OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE)
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Resource:
    """`identifier` is the audience of its tokens; `scopes` may be granted, `default_scopes` if none is asked for."""

    identifier: str
    scopes: tuple[OAuthScope, ...]
    default_scopes: tuple[OAuthScope, ...] = MEMORY_SCOPES

    def granted(self, requested: str | None) -> tuple[OAuthScope, ...]:
        """The scopes to ask a person for. Raises `InvalidScopeError` when none of the requested exists here.

        Others are left out rather than refused: clients ask for whatever some metadata document lists, and learn from
        the token's `scope` what they got (RFC 6749, section 3.3).
        """
        names = scope_to_list(requested)
        if not names:
            return self.default_scopes
        return self.known(names)

    def known(self, names: Iterable[str]) -> tuple[OAuthScope, ...]:
        """Those of the names that are scopes here, in a fixed order. Raises `InvalidScopeError` when none is."""
        wanted = set(names)
        found = tuple(scope for scope in self.scopes if scope in wanted)
        if not found:
            raise InvalidScopeError("None of the requested scopes exists for this resource.")
        return found


class ProtectedResources:
    """MCP at the gateway, which is meant where a client names no resource, and REST at this service."""

    def __init__(self, *, public_url: str, issuer: str) -> None:
        self.mcp = Resource(public_url + MCP_PATH, MEMORY_SCOPES)
        self.api = Resource(issuer + API_PATH, tuple(OAuthScope))
        self._by_identifier = {_canonical(known.identifier): known for known in (self.mcp, self.api)}

    def find(self, identifier: str | None) -> Resource:
        """The resource that a client means. Raises `InvalidTargetError`."""
        if identifier is None:
            return self.mcp
        found = self._by_identifier.get(_canonical(identifier))
        if found is None:
            raise InvalidTargetError
        return found

    def check(self, identifier: str | None, audience: str) -> Resource:
        """The resource of a grant, when a later request names none or the same. Raises `InvalidTargetError`."""
        granted = self.find(audience)
        if identifier is not None and self.find(identifier) != granted:
            raise InvalidTargetError
        return granted


def _canonical(identifier: str) -> str:
    """One spelling of a URL: scheme and host in lower case, no default port, no slash at the end."""
    try:
        parts = urlsplit(identifier)
        port = parts.port
    except ValueError:
        raise InvalidTargetError from None
    if parts.fragment or parts.username is not None or parts.password is not None:
        raise InvalidTargetError
    authority = parts.hostname or ""
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme):
        authority = f"{authority}:{port}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{authority}{parts.path.rstrip('/')}{query}"
