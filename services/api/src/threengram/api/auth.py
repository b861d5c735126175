"""Who is calling: a credential of a request becomes a `Principal`, or nothing does.

`X-API-Key` is definitive where it is present. `Authorization: Bearer` carries an API key, told by its mark, or an
access token whose audience is this API. Whether the credential still stands is read again, in the first round trip of
the call.
"""

from datetime import datetime
from typing import Protocol

from starlette.datastructures import Headers

from threengram.api.failures import BadCredential, NoCredential
from threengram.core.identity.api_keys import KEY_MARK
from threengram.core.identity.tokens import AccessTokenVerifier, InvalidToken
from threengram.core.principal import Principal
from threengram.core.time.clock import Clock
from threengram.runtime.metrics import BEARER_REFUSALS, TOKEN_REFUSALS, closed
from threengram.schema.enums import ActorKind


class Verifier(Protocol):
    """Knows one kind of credential."""

    async def principal(self, text: str, now: datetime) -> Principal | None:
        """The caller; None for a credential that opens nothing. Raises `Unavailable` when that can't be told."""
        ...


class AccessTokens:
    """Access tokens whose audience is this API; those for another resource open nothing here."""

    def __init__(self, verifier: AccessTokenVerifier) -> None:
        self._verifier = verifier

    async def principal(self, text: str, now: datetime) -> Principal | None:
        """The caller; None for any token but a good one of this audience."""
        try:
            claims = await self._verifier.verify(text, now)
        except InvalidToken as error:
            BEARER_REFUSALS.labels(closed(error.reason, TOKEN_REFUSALS)).inc()
            return None
        return Principal(claims.tenant_id, claims.user_id, claims.token_id, claims.scopes, ActorKind.USER_API)


class Authenticator:
    """Finds the credential and asks the verifier of its kind; without `access_tokens` only API keys open anything."""

    def __init__(self, api_keys: Verifier, clock: Clock, *, access_tokens: Verifier | None = None) -> None:
        self._api_keys = api_keys
        self._access_tokens = access_tokens
        self._clock = clock

    async def principal(self, headers: Headers) -> Principal:
        """The caller. Raises `NoCredential` or `BadCredential`."""
        verifier, text = self._presented(headers)
        principal = None if verifier is None else await verifier.principal(text, self._clock())
        if principal is None:
            raise BadCredential
        return principal

    def _presented(self, headers: Headers) -> tuple[Verifier | None, str]:
        name = "x-api-key" if "x-api-key" in headers else "authorization"
        values = headers.getlist(name)
        if not values:
            raise NoCredential
        if len(values) > 1:
            raise BadCredential
        if name == "x-api-key":
            return self._api_keys, values[0].strip()
        scheme, _, text = values[0].strip().partition(" ")
        text = text.strip()
        if scheme.lower() != "bearer":
            raise BadCredential
        return (self._api_keys if text.startswith(KEY_MARK) else self._access_tokens), text
