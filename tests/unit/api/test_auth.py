"""Which credential counts, and which verifier is asked about it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from starlette.datastructures import Headers

from threengram.api.auth import Authenticator
from threengram.api.failures import BadCredential, NoCredential
from threengram.core.principal import Principal
from threengram.schema.enums import ActorKind

NOW = datetime(2026, 3, 2, tzinfo=UTC)
KEY = "3ng_" + "k" * 43


@dataclass
class Knows:
    """Verifies one text."""

    text: str
    asked: list[str] = field(default_factory=list)
    caller: Principal = field(
        default_factory=lambda: Principal(uuid4(), uuid4(), uuid4(), frozenset(), ActorKind.USER_API)
    )

    async def principal(self, text: str, now: datetime) -> Principal | None:
        assert now == NOW
        self.asked.append(text)
        return self.caller if text == self.text else None


keys, tokens = Knows(KEY), Knows("a.b.c")
both = Authenticator(keys, lambda: NOW, access_tokens=tokens)
only_keys = Authenticator(keys, lambda: NOW)


@pytest.mark.parametrize(
    ("headers", "who"),
    [
        ({"X-API-Key": KEY}, keys),
        ({"X-API-Key": f" {KEY} "}, keys),
        ({"Authorization": f"Bearer {KEY}"}, keys),
        ({"Authorization": f"bEARER  {KEY}"}, keys),
        ({"Authorization": "Bearer a.b.c"}, tokens),
        ({"X-API-Key": KEY, "Authorization": "Bearer nonsense"}, keys),
    ],
)
async def test_a_credential_is_told_by_its_header_and_mark(headers: dict[str, str], who: Knows) -> None:
    assert await both.principal(Headers(headers)) is who.caller


@pytest.mark.parametrize(
    "headers",
    [
        {"X-API-Key": "a.b.c"},
        {"X-API-Key": "nonsense", "Authorization": f"Bearer {KEY}"},
        {"Authorization": KEY},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer 3ng_other"},
    ],
)
async def test_what_is_present_and_wrong_is_final(headers: dict[str, str]) -> None:
    with pytest.raises(BadCredential):
        await both.principal(Headers(headers))


async def test_access_tokens_open_nothing_where_none_are_taken() -> None:
    with pytest.raises(BadCredential):
        await only_keys.principal(Headers({"Authorization": "Bearer a.b.c"}))


async def test_two_of_a_kind_are_none() -> None:
    for name in (b"x-api-key", b"authorization"):
        with pytest.raises(BadCredential):
            await both.principal(Headers(raw=[(name, KEY.encode())] * 2))


async def test_nothing_presented_is_no_bad_credential() -> None:
    with pytest.raises(NoCredential):
        await both.principal(Headers({"Cookie": KEY}))
