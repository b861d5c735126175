"""API keys: made once, stored as a hash, good until they are revoked or expire, and not more of them than fit."""

import asyncio
import re

import psycopg
import pytest

from tests.conftest import Clock
from tests.contract.rest.stack import BOTH, Rest, a_key
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import InvalidRequest, LimitReached, NotFound
from threengram.core.identity.api_key_use import ApiKeyResolver, ApiKeyUses
from threengram.core.identity.api_keys import (
    MAX_LIVE_KEYS,
    create_api_key,
    key_hash,
    list_api_keys,
    resolve_api_key,
    revoke_api_key,
)
from threengram.schema.enums import ActorKind, OAuthScope


async def test_a_key_stands_for_its_user_with_its_scopes(core: Core, alice: Person) -> None:
    made = await create_api_key(
        core.database, alice.principal, name="ci", scopes=[OAuthScope.MEMORY_READ], now=core.clock()
    )
    resolved = await resolve_api_key(core.database, made.text, core.clock())

    assert resolved is not None
    principal = resolved.principal
    assert (principal.tenant_id, principal.user_id) == (alice.principal.tenant_id, alice.principal.user_id)
    assert (principal.credential_id, principal.actor) == (made.key.id, ActorKind.USER_API)
    assert principal.scopes == {"memory:read"}


async def test_a_key_is_random_and_only_its_hash_is_kept(core: Core, alice: Person, owner_url: str) -> None:
    texts = {await a_key(core, alice) for _ in range(5)}
    listed = await list_api_keys(core.database, alice.principal)
    with psycopg.connect(owner_url) as owner:
        # The owner is held to row security too, so it has to say whose rows it reads.
        owner.execute("SELECT set_config('app.tenant_id', %s, false)", (str(alice.principal.tenant_id),))
        rows = owner.execute("SELECT key_hash, api_keys::text FROM api_keys").fetchall()

    assert len(texts) == 5
    assert all(re.fullmatch("3ng_[0-9A-Za-z]{43}", text) for text in texts)
    assert {key.prefix for key in listed} == {text[:12] for text in texts}
    assert {row[0] for row in rows} == {key_hash(text) for text in texts}
    assert not any(text[12:] in row[1] for text in texts for row in rows)


async def test_a_revoked_key_fails_at_once_though_it_was_just_used(core: Core, rest: Rest, alice: Person) -> None:
    assert (await rest.get("/version")).status_code == 200
    (key,) = await list_api_keys(core.database, alice.principal)
    await revoke_api_key(core.database, alice.principal, key.id, now=core.clock())
    await revoke_api_key(core.database, alice.principal, key.id, now=core.clock())

    for response in (await rest.get("/version"), await rest.post("/search", {"query": "q"})):
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == 'Bearer realm="3ngram", error="invalid_token"'
        assert response.json()["detail"] == "this credential is no longer valid"


async def test_a_key_ends_when_it_expires(core: Core, rest: Rest, alice: Person, clock: Clock) -> None:
    soon = rest.with_key(await a_key(core, alice, expires_at=clock.now.replace(hour=10)))
    assert (await soon.get("/version")).status_code == 200
    clock.advance(hours=1)
    assert (await soon.get("/version")).status_code == 401
    assert (await rest.get("/version")).status_code == 200


async def test_keys_are_listed_newest_first_with_what_became_of_them(core: Core, alice: Person, clock: Clock) -> None:
    for name in ("first", "second"):
        await create_api_key(core.database, alice.principal, name=name, scopes=BOTH, now=clock())
        clock.advance(seconds=1)
    second, first = await list_api_keys(core.database, alice.principal)
    await revoke_api_key(core.database, alice.principal, first.id, now=clock())
    _, revoked = await list_api_keys(core.database, alice.principal)

    assert (second.name, first.name, first.scopes) == ("second", "first", ("memory:read", "memory:write"))
    assert (second.is_live(clock()), revoked.is_live(clock())) == (True, False)


async def test_somebody_elses_key_can_be_neither_seen_nor_revoked(core: Core, alice: Person, bob: Person) -> None:
    made = await create_api_key(core.database, alice.principal, name="hers", scopes=BOTH, now=core.clock())
    with pytest.raises(NotFound):
        await revoke_api_key(core.database, bob.principal, made.key.id, now=core.clock())
    assert await list_api_keys(core.database, bob.principal) == []
    assert await resolve_api_key(core.database, made.text, core.clock()) is not None


async def test_the_last_free_place_goes_to_one_of_two_who_ask_at_once(core: Core, alice: Person, clock: Clock) -> None:
    for _ in range(MAX_LIVE_KEYS - 2):
        await a_key(core, alice)
    dying = await create_api_key(
        core.database, alice.principal, name="dying", scopes=BOTH, now=clock(), expires_at=clock.now.replace(hour=10)
    )
    asked = await asyncio.gather(*(a_key(core, alice) for _ in range(4)), return_exceptions=True)
    assert sum(isinstance(answer, LimitReached) for answer in asked) == 3

    clock.advance(hours=1)
    assert not dying.key.is_live(clock())
    await a_key(core, alice)
    with pytest.raises(LimitReached):
        await a_key(core, alice)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"scopes": []}, "scopes"),
        ({"expires_at": 0}, "expiresAt"),
    ],
)
async def test_a_key_that_makes_no_sense_is_refused(
    core: Core, alice: Person, clock: Clock, change: dict[str, object], field: str
) -> None:
    if "expires_at" in change:
        change = {"expires_at": clock.now}
    asked: dict[str, object] = {"name": "a key", "scopes": BOTH, **change}
    with pytest.raises(InvalidRequest) as refused:
        await create_api_key(core.database, alice.principal, now=clock(), **asked)  # type: ignore[arg-type]
    assert refused.value.field == field


async def test_the_last_use_is_written_at_most_once_a_minute(core: Core, alice: Person, clock: Clock) -> None:
    uses = ApiKeyUses(core.database)
    resolver = ApiKeyResolver(core.database, uses)
    text = await a_key(core, alice)
    seen = []
    async with uses.recording():
        for seconds in (0, 30, 40):
            clock.advance(seconds=seconds)
            assert await resolver.principal(text, clock.now) is not None
            await asyncio.wait_for(uses.written(), 60)
            seen.append((await list_api_keys(core.database, alice.principal))[0].last_used_at)

    first, second, third = seen
    assert first is not None
    assert first == second
    assert third is not None
    assert (third - first).total_seconds() >= 70
