"""Access tokens: only those of this issuer, for this resource, signed by a published key, now."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from threengram.core.identity.tokens import AccessClaims, AccessTokenVerifier, InvalidToken, mint

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ISSUER = "https://auth.example"
RESOURCE = "https://memory.example/mcp"
KEY = RSAKey.generate_key(2048, {"kid": "one"}, private=True)
NEXT_KEY = RSAKey.generate_key(2048, {"kid": "two"}, private=True)
IMPOSTOR = RSAKey.generate_key(2048, {"kid": "one"}, private=True)
CLAIMS = AccessClaims(uuid4(), uuid4(), uuid4(), frozenset({"memory:read"}), NOW + timedelta(hours=1))


class Keys:
    """Two published keys, as while one replaces the other."""

    async def find(self, kid: str) -> RSAKey | None:
        """By name."""
        return {"one": KEY, "two": NEXT_KEY}.get(kid)


VERIFIER = AccessTokenVerifier(issuer=ISSUER, audience=RESOURCE, keys=Keys())


def token(claims: AccessClaims = CLAIMS, *, issuer: str = ISSUER, audience: str = RESOURCE, key: RSAKey = KEY) -> str:
    return mint(claims, issuer=issuer, audience=audience, client_id="a client", key=key, issued_at=NOW)


@pytest.mark.parametrize("key", [KEY, NEXT_KEY], ids=["old", "new"])
async def test_a_token_of_either_published_key_is_good(key: RSAKey) -> None:
    assert await VERIFIER.verify(token(key=key), NOW) == CLAIMS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (token(audience="https://memory.example/api"), "wrong_audience"),
        (token(audience="https://memory.example"), "wrong_audience"),
        (token(issuer="https://other.example"), "wrong_issuer"),
        (token(key=IMPOSTOR), "bad_signature"),
        (token(key=RSAKey.generate_key(2048, {"kid": "three"}, private=True)), "unknown_key"),
        (token(replace(CLAIMS, expires_at=NOW)), "expired"),
        ("a.b.c", "malformed"),
        ("x" * 10_000, "too_long"),
    ],
)
async def test_any_other_token_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InvalidToken) as refused:
        await VERIFIER.verify(text, NOW)
    assert refused.value.reason == reason


async def test_a_token_of_another_algorithm_is_refused() -> None:
    secret = OctKey.generate_key(256)
    forged = jwt.encode({"alg": "HS256", "kid": "one"}, {"iss": ISSUER, "aud": RESOURCE}, secret)
    with pytest.raises(InvalidToken) as refused:
        await VERIFIER.verify(forged, NOW)
    assert refused.value.reason == "wrong_algorithm"
