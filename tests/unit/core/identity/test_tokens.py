"""Access tokens: only those of this issuer, for this resource, signed by a published key, now."""

import hmac
import json
from base64 import urlsafe_b64encode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from joserfc.jwk import RSAKey

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


def forged(algorithm: str, signature: str) -> str:
    """The claims of a good token under a header that somebody else chose."""
    header = urlsafe_b64encode(json.dumps({"alg": algorithm, "kid": "one", "typ": "at+jwt"}).encode()).rstrip(b"=")
    return f"{header.decode()}.{token().split('.')[1]}.{signature}"


@pytest.mark.parametrize("algorithm", ["none", "None", "HS256", "PS256", "ES256", ""])
async def test_a_token_of_another_algorithm_is_refused(algorithm: str) -> None:
    for signature in ("", token().split(".")[2]):
        with pytest.raises(InvalidToken) as refused:
            await VERIFIER.verify(forged(algorithm, signature), NOW)
        assert refused.value.reason in ("wrong_algorithm", "malformed")


async def test_the_public_key_is_no_secret_to_sign_with() -> None:
    text = forged("HS256", "")[:-1]
    signature = hmac.new(KEY.as_pem(private=False), text.encode(), "sha256").digest()
    with pytest.raises(InvalidToken) as refused:
        await VERIFIER.verify(f"{text}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}", NOW)
    assert refused.value.reason == "wrong_algorithm"
