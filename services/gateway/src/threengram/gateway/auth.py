"""The bearer gate of `/mcp` and what a client needs to get a token (RFC 6750, RFC 9728).

The signature, issuer, audience and expiry are checked here; whether the token still stands is a row, read in the first
round trip of each call.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from threengram.core.errors import Unavailable
from threengram.core.identity.tokens import AccessClaims, InvalidToken
from threengram.core.oauth.resources import MEMORY_SCOPES
from threengram.core.principal import Principal
from threengram.core.time.clock import Clock
from threengram.gateway.http.replies import Headers, Reply, plain_error
from threengram.gateway.http.routing_headers import Labels
from threengram.gateway.operations import count
from threengram.runtime.metrics import BEARER_REFUSALS, TOKEN_REFUSALS, closed
from threengram.schema.enums import ActorKind, OAuthScope

_ADVICE = "Request an access token for this resource as resource_metadata describes and send it as a Bearer token."
_INVALID = "The access token is expired, revoked, malformed, or was issued for another resource."


class TokenVerifier(Protocol):
    """Checks signature, issuer, audience and expiry; raises `InvalidToken`."""

    async def verify(self, token: str, now: datetime) -> AccessClaims:
        """The claims of a good token."""
        ...


class Challenge:
    """`WWW-Authenticate` answers that name the metadata document and the scopes to ask for."""

    def __init__(self, metadata_url: str) -> None:
        self._metadata_url = metadata_url
        supported = " ".join(MEMORY_SCOPES)
        self.missing = self._reply(401, "unauthorized", _ADVICE, f'scope="{supported}"', is_named=False)
        self.invalid = self._reply(401, "invalid_token", _INVALID, f'scope="{supported}"')

    def insufficient(self, granted: Iterable[str], needed: Iterable[OAuthScope]) -> Reply:
        """The step-up answer. It names the granted scopes too, so that a new token does not lose them."""
        wanted = {*granted, *needed}
        scopes = " ".join(scope for scope in MEMORY_SCOPES if scope in wanted)
        description = f"This needs {' or '.join(sorted(needed))}."
        return self._reply(403, "insufficient_scope", description, f'scope="{scopes}"')

    def _reply(self, status: int, error: str, description: str, scope: str, *, is_named: bool = True) -> Reply:
        # A request without credentials gets no error code (RFC 6750, section 3.1).
        named = f'error="{error}", error_description="{description}", ' if is_named else ""
        value = f'Bearer {named}resource_metadata="{self._metadata_url}", {scope}'
        headers: Headers = ((b"www-authenticate", value.encode()), (b"cache-control", b"no-store"))
        return Reply(status, plain_error(error, description), headers)


class BearerGate:
    """Lets verified callers through and leaves their `Principal` in `scope["state"]["principal"]`."""

    def __init__(self, app: ASGIApp, verifier: TokenVerifier, challenge: Challenge, clock: Clock) -> None:
        self._app = app
        self._verifier = verifier
        self._challenge = challenge
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        outcome = await self._identify(scope)
        if isinstance(outcome, Reply):
            labels: Labels = scope["state"]["labels"]
            count(labels, "denied" if outcome.status == 401 else "unavailable")
            await outcome.send(send)
            return
        scope["state"]["principal"] = outcome
        await self._app(scope, receive, send)

    async def _identify(self, scope: Scope) -> Principal | Reply:
        sent = [value for name, value in scope["headers"] if name == b"authorization"]
        if not sent:
            BEARER_REFUSALS.labels("missing").inc()
            return self._challenge.missing
        scheme, _, token = sent[0].decode("latin-1").partition(" ")
        if len(sent) > 1 or scheme.lower() != "bearer" or not token.strip():
            BEARER_REFUSALS.labels("malformed").inc()
            return self._challenge.invalid
        try:
            claims = await self._verifier.verify(token.strip(), self._clock())
        except InvalidToken as error:
            BEARER_REFUSALS.labels(closed(error.reason, TOKEN_REFUSALS)).inc()
            return self._challenge.invalid
        except Unavailable:
            return Reply(503, plain_error("unavailable", "Tokens cannot be checked now."), ((b"retry-after", b"1"),))
        return Principal(
            tenant_id=claims.tenant_id,
            user_id=claims.user_id,
            credential_id=claims.token_id,
            scopes=frozenset(claims.scopes),
            actor=ActorKind.USER_MCP,
        )
