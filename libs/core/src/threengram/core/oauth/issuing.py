"""New tokens of a family: their rows, and the answer that carries them (RFC 6749, section 5.1; RFC 9068)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from joserfc.jwk import RSAKey

from threengram.core.db.statement import Step
from threengram.core.identity.tokens import AccessClaims, mint
from threengram.core.ids import new_id
from threengram.core.oauth import queries
from threengram.core.oauth.clients import Client
from threengram.core.oauth.families import Family, Found
from threengram.core.oauth.secrets import new_secret, secret_hash
from threengram.schema.enums import TokenKind

ACCESS_LIFETIME = timedelta(hours=1)
REFRESH_LIFETIME = timedelta(days=30)
"""From each refresh on, but not beyond the end of the family."""


@dataclass(frozen=True, slots=True)
class IssuedTokens:
    """The answer to a token request. `refresh_token` is None for a client that did not register for one."""

    access_token: str = field(repr=False)
    refresh_token: str | None = field(repr=False)
    scopes: tuple[str, ...]
    expires_in_s: int

    def body(self) -> dict[str, object]:
        """The members of the JSON answer."""
        body: dict[str, object] = {
            "access_token": self.access_token,
            "token_type": "Bearer",
            "expires_in": self.expires_in_s,
            "scope": " ".join(self.scopes),
        }
        return body if self.refresh_token is None else body | {"refresh_token": self.refresh_token}


def issuing(
    found: Found, family: Family, client: Client, scopes: Sequence[str], *, issuer: str, key: RSAKey, now: datetime
) -> tuple[list[Step], IssuedTokens]:
    """What writes an access token and, if the client takes one, a refresh token; and both as the client gets them."""
    claims = AccessClaims(
        tenant_id=found.tenant_id,
        user_id=family.user_id,
        token_id=new_id(),
        scopes=frozenset(scopes),
        expires_at=min(now + ACCESS_LIFETIME, family.expires_at),
    )
    shared = {
        "user_id": family.user_id,
        "family_id": family.id,
        "scopes": list(scopes),
        "audience": family.audience,
        "now": now,
    }
    access = {"token_id": claims.token_id, "kind": TokenKind.ACCESS, "token_hash": None,
              "expires_at": claims.expires_at}  # fmt: skip
    steps = [Step(queries.INSERT_TOKEN, shared | access)]
    refresh_token = None
    if client.may_refresh:
        refresh_token = new_secret()
        refresh = {"token_id": new_id(), "kind": TokenKind.REFRESH, "token_hash": secret_hash(refresh_token),
                   "expires_at": min(now + REFRESH_LIFETIME, family.expires_at)}  # fmt: skip
        steps.append(Step(queries.INSERT_TOKEN, shared | refresh))
    steps.append(Step(queries.TOUCH_GRANT, {"grant_id": family.grant_id, "now": now}))
    token = mint(claims, issuer=issuer, audience=family.audience, client_id=client.client_id, key=key, issued_at=now)
    lifetime_s = int((claims.expires_at - now).total_seconds())
    return steps, IssuedTokens(token, refresh_token, tuple(scopes), lifetime_s)
