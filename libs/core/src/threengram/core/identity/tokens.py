"""Access tokens: both halves, minting and verifying, in one file (RFC 9068: JWT profile for OAuth 2.0 access tokens).

A token names its tenant and its row (`jti`), so that it can be withdrawn at once; the signature alone admits nobody.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey
from joserfc.jws import extract_compact

ALGORITHM = "RS256"
TOKEN_TYPE = "at+jwt"  # noqa: S105 - a media type
MAX_TOKEN_CHARS = 8_192
CLOCK_SKEW = timedelta(seconds=30)


class InvalidToken(Exception):
    """Not a token of this issuer for this audience, now. `reason` is for logs; a caller learns that it failed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class AccessClaims:
    """What a verified token says."""

    tenant_id: UUID
    user_id: UUID
    token_id: UUID
    scopes: frozenset[str]
    expires_at: datetime


class KeySource(Protocol):
    """Published verification keys by `kid`."""

    async def find(self, kid: str) -> RSAKey | None:
        """The public key, or None when no such key is published."""
        ...


class AccessTokenVerifier:
    """Checks signature, issuer, audience and time; `audience` is this resource and nothing else (RFC 8707)."""

    def __init__(self, *, issuer: str, audience: str, keys: KeySource) -> None:
        self._issuer = issuer.rstrip("/")
        self._audience = audience
        self._keys = keys

    async def verify(self, token: str, now: datetime) -> AccessClaims:
        """The claims of a good token; raises `InvalidToken`."""
        if len(token) > MAX_TOKEN_CHARS:
            raise InvalidToken("too_long")
        key = await self._keys.find(_key_id(token))
        if key is None:
            raise InvalidToken("unknown_key")
        try:
            claims = jwt.decode(token, key, algorithms=[ALGORITHM]).claims
        except (JoseError, ValueError) as error:
            raise InvalidToken("bad_signature") from error
        return self._checked(claims, now)

    def _checked(self, claims: dict[str, object], now: datetime) -> AccessClaims:
        if str(claims.get("iss", "")).rstrip("/") != self._issuer:
            raise InvalidToken("wrong_issuer")
        audience = claims.get("aud")
        if self._audience not in (audience if isinstance(audience, list) else [audience]):
            raise InvalidToken("wrong_audience")
        try:
            expires_at = datetime.fromtimestamp(int(str(claims["exp"])), tz=now.tzinfo)
            issued_at = datetime.fromtimestamp(int(str(claims["iat"])), tz=now.tzinfo)
            parsed = AccessClaims(
                tenant_id=UUID(str(claims["tenant"])),
                user_id=UUID(str(claims["sub"])),
                token_id=UUID(str(claims["jti"])),
                scopes=frozenset(str(claims["scope"]).split()),
                expires_at=expires_at,
            )
        except (KeyError, ValueError, OverflowError) as error:
            raise InvalidToken("missing_claim") from error
        if expires_at <= now:
            raise InvalidToken("expired")
        if issued_at > now + CLOCK_SKEW:
            raise InvalidToken("issued_in_the_future")
        return parsed


def mint(claims: AccessClaims, *, issuer: str, audience: str, client_id: str, key: RSAKey, issued_at: datetime) -> str:
    """A signed access token with the given claims; `key` is the private key whose `kid` is published."""
    return jwt.encode(
        {"alg": ALGORITHM, "kid": str(key.kid), "typ": TOKEN_TYPE},
        {
            "iss": issuer,
            "aud": audience,
            "sub": str(claims.user_id),
            "tenant": str(claims.tenant_id),
            "client_id": client_id,
            "jti": str(claims.token_id),
            "scope": scope_claim(claims.scopes),
            "iat": int(issued_at.timestamp()),
            "exp": int(claims.expires_at.timestamp()),
        },
        key,
        algorithms=[ALGORITHM],
    )


def scope_claim(scopes: Iterable[str]) -> str:
    """Scopes as the space-separated list of RFC 6749, section 3.3, in a fixed order."""
    return " ".join(sorted(scopes))


def _key_id(token: str) -> str:
    """The `kid` of an unverified token: it only chooses which published key must verify it."""
    try:
        header = extract_compact(token.encode("ascii")).headers()
    except (JoseError, ValueError) as error:
        raise InvalidToken("malformed") from error
    if header.get("alg") != ALGORITHM:
        raise InvalidToken("wrong_algorithm")
    return str(header.get("kid", ""))
