"""Who is let in, how many round trips that costs, and what two users of one tenant share."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from tests.conftest import Clock
from tests.integration.core.registry import configure
from tests.integration.core.writing import find, read, rows, write
from tests.people import AUDIENCE, Person
from threengram.core.call import Core
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement, Step
from threengram.core.errors import AccessSuspended, TokenRevoked, Unavailable, UnscopedRetrieval
from threengram.core.identity import queries
from threengram.core.identity.api_keys import create_api_key
from threengram.core.ids import new_id
from threengram.schema.enums import OAuthScope


@dataclass
class Counting:
    """An observer that notes the first statement of every round trip."""

    seen: list[str] = field(default_factory=list)

    @contextmanager
    def span(self, name: str, **attributes: str | int | float | bool) -> Iterator[None]:
        """Note the statement."""
        if name == "db.query":
            self.seen.append(str(attributes["statement"]))
        yield

    def traceparent(self) -> str | None:
        """No trace."""
        return None

    def count(self, event: str, amount: int = 1, **labels: str) -> None:
        """Of no interest here."""


@pytest.mark.parametrize("status", ["suspended", "erased", "unverified"])
@pytest.mark.parametrize("whose", ["users", "tenants"])
async def test_an_account_that_is_not_active_neither_reads_nor_writes(
    core: Core, alice: Person, status: str, whose: str, owner_url: str
) -> None:
    await write(core, alice)
    statement = {
        "users": "UPDATE users SET status = %(status)s WHERE tenant_id = %(tenant_id)s",
        "tenants": "UPDATE tenants SET status = %(status)s WHERE id = %(tenant_id)s",
    }[whose]
    async with Database(owner_url) as owner, owner.tenant(alice.principal) as tx:
        await tx.fetch(Statement("status", statement), {"status": status})
    for refused in (find(core, alice, "content"), write(core, alice, content="more")):
        with pytest.raises(AccessSuspended):
            await refused


async def test_a_key_that_has_expired_is_not_admitted_whoever_still_knows_it(
    core: Core, alice: Person, clock: Clock
) -> None:
    expires_at = clock() + timedelta(minutes=10)
    made = await create_api_key(
        core.database, alice.principal, name="short", scopes=tuple(OAuthScope), now=clock(), expires_at=expires_at
    )
    holder = Person("", replace(alice.principal, credential_id=made.key.id))
    await write(core, holder)
    clock.advance(minutes=11)
    with pytest.raises(TokenRevoked):
        await find(core, holder, "content")


async def test_two_users_of_a_tenant_share_its_memory(core: Core, alice: Person, bob: Person) -> None:
    written = await write(core, alice, content="a shared note")
    colleague = replace(alice.principal, user_id=new_id(), credential_id=new_id())
    token = {
        "token_id": colleague.credential_id, "user_id": colleague.user_id, "scopes": sorted(colleague.scopes),
        "audience": AUDIENCE, "now": core.clock(), "expires_at": core.clock().replace(year=2030),
    }  # fmt: skip
    email = f"{colleague.user_id}@example.test"
    async with core.database.tenant(alice.principal) as tx:
        await tx.run(
            [
                Step(queries.INSERT_USER, {"user_id": colleague.user_id, "email": email, "now": core.clock()}),
                Step(queries.INSERT_ACCESS_TOKEN, token),
            ]
        )
    second = Person("", colleague)
    assert (await read(core, second, written.memory.id)).content == "a shared note"
    own = await write(core, second, content="a note by the colleague")
    assert {hit.id for hit in (await find(core, alice, "note")).hits} == {written.memory.id, own.memory.id}
    assert (await find(core, bob, "note")).hits == []
    authors = await rows(core, alice, "SELECT DISTINCT user_id FROM memories")
    assert {row["user_id"] for row in authors} == {alice.principal.user_id, colleague.user_id}


async def test_a_search_takes_two_round_trips_and_a_refused_one_never_searches(
    core: Core, database_url: str, alice: Person
) -> None:
    await write(core, alice, content="apples and pears")
    counting = Counting()
    async with Database(database_url, observer=counting) as watched:
        counted = replace(core, database=watched)
        assert len((await find(counted, alice, "apples")).hits) == 1
        assert len(counting.seen) == 2
        await configure(core, alice, "set_retrieval_default", mode="require")
        counting.seen.clear()
        with pytest.raises(UnscopedRetrieval):
            await find(counted, alice, "apples")
        assert not [name for name in counting.seen if name.startswith("search")]


async def test_a_statement_that_takes_too_long_is_stopped(database_url: str, alice: Person) -> None:
    async with Database(database_url, statement_timeout_ms=50) as hasty:
        with pytest.raises(Unavailable):
            async with hasty.tenant(alice.principal) as tx:
                await tx.fetch(Statement("slow", "SELECT pg_sleep(60)"))
    assert Database(database_url).statement_timeout_ms < 15_000
