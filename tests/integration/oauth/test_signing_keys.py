"""A rotation of the signing key, step by step: no token is refused, whoever has read what by then."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import psycopg
import pytest
from joserfc.jwk import RSAKey

from tests.conftest import Clock
from tests.people import AUDIENCE, ISSUER, SIGNING_KEY, Person
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.identity.keys import MIN_REFETCH_S, PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier, InvalidToken
from threengram.core.oauth.purge import withdraw_keys
from threengram.core.oauth.signing import MAX_AGE_S, NoSigningKey, SigningKeys, private_keys
from threengram.core.principal import Principal
from threengram.migrations.manage import MIN_PUBLISHED, Refused, activate_key, publish_keys

OLD = SIGNING_KEY
NEW_PEM = RSAKey.generate_key(2048, private=True).as_pem(private=True).decode()
NEW = private_keys(NEW_PEM)[0]
BOTH_PEM = NEW_PEM + OLD.as_pem(private=True).decode()
LONG = timedelta(days=365 * 30)


@pytest.fixture(autouse=True)
def _as_before(owner_url: str) -> Iterator[None]:
    yield
    with psycopg.connect(owner_url) as owner:
        owner.execute("DELETE FROM signing_keys WHERE kid = %s", (NEW.kid,))
        owner.execute("UPDATE signing_keys SET state = 'active', changed_at = NULL WHERE kid = %s", (OLD.kid,))


class Seconds:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class World:
    """A replica that got the new key, one that did not yet, and a gateway."""

    def __init__(self, database: Database, seconds: Seconds) -> None:
        self.database = database
        self.seconds = seconds
        self.late = SigningKeys(database, [OLD], monotonic=seconds)
        self.early = SigningKeys(database, [NEW, OLD], monotonic=seconds)
        published = PublishedKeys(database, monotonic=seconds)
        self.gateway = AccessTokenVerifier(issuer=ISSUER, audience=AUDIENCE, keys=published)

    async def signed(self, owner: Principal, now: datetime) -> set[str]:
        """Tokens of both replicas are good at the gateway; the ids of the keys that signed them."""
        kids = set()
        for replica in (self.late, self.early):
            key = await replica.signing_key()
            token = await self.token(owner, key, now)
            await self.gateway.verify(token, now)
            kids.add(str(key.kid))
        return kids

    async def token(self, owner: Principal, key: RSAKey, now: datetime) -> str:
        """A token that a key has signed."""
        return await provision.issue_access_token(
            self.database, owner, scopes=(), issuer=ISSUER, audience=AUDIENCE, key=key, now=now,
            lifetime=timedelta(hours=1),
        )  # fmt: skip


@pytest.fixture
def world(database: Database) -> World:
    return World(database, Seconds())


async def test_no_token_is_refused_while_one_key_replaces_the_other(
    world: World, alice: Person, owner_url: str, clock: Clock
) -> None:
    assert await world.signed(alice.principal, clock()) == {OLD.kid}
    publish_keys(owner_url, NEW_PEM, clock())
    world.seconds.now += MIN_PUBLISHED.total_seconds()
    clock.advance(seconds=MIN_PUBLISHED.total_seconds())
    assert await world.signed(alice.principal, clock()) == {OLD.kid}

    activate_key(owner_url, BOTH_PEM, clock())
    assert await world.signed(alice.principal, clock()) == {OLD.kid}
    world.seconds.now += MAX_AGE_S + 1
    assert await world.signed(alice.principal, clock()) == {OLD.kid, NEW.kid}
    kids = {key["kid"] for key in (await world.early.key_set())["keys"]}
    assert {OLD.kid, NEW.kid} <= kids


async def test_a_verifier_that_has_just_read_the_keys_knows_the_one_that_is_activated_next(
    world: World, alice: Person, owner_url: str, clock: Clock
) -> None:
    publish_keys(owner_url, NEW_PEM, clock())
    with pytest.raises(InvalidToken):
        await world.gateway.verify(
            await world.token(alice.principal, RSAKey.generate_key(auto_kid=True), clock()), clock()
        )
    world.seconds.now += MIN_REFETCH_S + 0.1
    await world.gateway.verify(await world.token(alice.principal, NEW, clock()), clock())


def test_a_key_signs_only_after_it_was_published_for_a_while(owner_url: str, clock: Clock) -> None:
    with pytest.raises(Refused, match="not published"):
        activate_key(owner_url, NEW_PEM, clock())
    publish_keys(owner_url, NEW_PEM, clock())
    with pytest.raises(Refused, match="wait"):
        activate_key(owner_url, NEW_PEM, clock())
    clock.advance(seconds=MIN_PUBLISHED.total_seconds())
    activate_key(owner_url, NEW_PEM, clock())
    activate_key(owner_url, NEW_PEM, clock())


async def test_a_replaced_key_is_withdrawn_once_nothing_lives_that_it_has_signed(
    world: World, alice: Person, owner_url: str, clock: Clock
) -> None:
    publish_keys(owner_url, NEW_PEM, clock())
    clock.advance(seconds=MIN_PUBLISHED.total_seconds())
    activate_key(owner_url, NEW_PEM, clock())
    old = await world.token(alice.principal, OLD, clock())
    clock.advance(minutes=30)
    assert await withdraw_keys(world.database, clock()) == 0
    await world.gateway.verify(old, clock())

    # Long after every token of these tests, which live for years.
    assert await withdraw_keys(world.database, clock() + LONG) == 1
    world.seconds.now += MAX_AGE_S + 300
    with pytest.raises(InvalidToken, match="unknown_key"):
        await world.gateway.verify(old, clock())
    with pytest.raises(NoSigningKey):
        await world.late.signing_key()
    assert await world.early.signing_key() is NEW
