"""Erasure: shut at once, then no word left in any column of any table; rows keep their identity."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.conftest import Clock
from tests.integration.core.writing import find, rows, write
from tests.integration.jobs.canaries import CANARY, ROWS, VALUES, bind, columns, counted, live, places_of, plant
from tests.integration.jobs.working import LEASE_S
from tests.people import Person
from threengram.core.call import Core
from threengram.core.db.statement import Row, Statement
from threengram.core.erasure import erase, request_erasure
from threengram.core.erasure.request import ATTEMPTS, ERASE, QUEUE, SETTLING
from threengram.core.errors import AccessSuspended, Conflict, TokenRevoked, Unauthenticated
from threengram.core.identity.api_keys import create_api_key, resolve_api_key
from threengram.core.ids import new_id
from threengram.core.jobs.executor import Ended, Executor
from threengram.core.jobs.job import Job, JobContext
from threengram.core.jobs.runs import show_run
from threengram.schema.enums import JobOutcome, OAuthScope

DERIVED = {"memory_embeddings", "memory_terms", "term_stats", "embedding_jobs", "scopes", "scope_mappings"}
CREDENTIALS = {"api_keys", "oauth_tokens", "oauth_codes", "oauth_families", "oauth_grants", "user_sessions"}

OUR_OWN_WORDS = {
    ("audit_log", "action"),
    ("consolidation_proposals", "commitment_status"),
    ("job_runs", "kind"),
    ("job_runs", "queue"),
    ("job_runs", "error_class"),
    ("job_runs", "traceparent"),
    ("job_runs", "counts"),
}
"""Columns in which only words of ours can stand, whatever this test plants."""


@pytest.fixture
def owner(owner_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(owner_url, autocommit=True) as connection:
        yield connection


def fill(owner: psycopg.Connection, person: Person) -> None:
    """A row in every other table, and the canary in every column that takes it."""
    bind(owner, person.principal.tenant_id)
    parameters = {"tenant": person.principal.tenant_id, "user": person.principal.user_id, "id": new_id()}
    for statement in ROWS:
        owner.execute(statement, parameters)
    rows_of = counted(owner)
    empty = {table for table, _, kind in columns(owner) if kind in VALUES and not rows_of[table]}
    assert empty == {"job_runs"}, "plant a row in every table that can hold a word"
    planted = plant(owner)
    assert {("memories", "content"), ("users", "email"), ("memory_events", "details")} <= planted
    assert places_of(owner, [CANARY]) >= planted


async def attempt(core: Core, person: Person) -> Ended | None:
    """The end of an attempt at the person's erasure; those that other tests left due go before it."""

    async def run(context: JobContext, _resources: None) -> bool:
        return await erase(context)

    job = Job(ERASE, QUEUE, run, attempts=ATTEMPTS, serves_erased=True)
    executor = Executor(core.database, [job], None, clock=core.clock, lease_s=LEASE_S)
    while (ended := await executor.run_next(QUEUE)) is not None and ended.run.tenant_id != person.principal.tenant_id:
        continue
    return ended


async def test_nothing_that_a_person_wrote_is_left_in_any_column(
    core: Core, alice: Person, clock: Clock, owner: psycopg.Connection
) -> None:
    await create_api_key(core.database, alice.principal, name=CANARY, scopes=(OAuthScope.ACCOUNT,), now=clock())
    await live(core, alice)
    fill(owner, alice)
    before = counted(owner)
    requested = await request_erasure(core.database, alice.principal, now=clock())
    clock.advance(seconds=SETTLING.total_seconds() + 1)
    ended = await attempt(core, alice)
    assert ended is not None
    assert (ended.run.id, ended.outcome, ended.error_class) == (requested.run_id, JobOutcome.OK, None)
    assert places_of(owner, [CANARY, "harbour", "dawn"]) <= OUR_OWN_WORDS
    after = counted(owner)
    assert {table: after[table] for table in DERIVED | CREDENTIALS} == dict.fromkeys(DERIVED | CREDENTIALS, 0)
    kept = before.keys() - DERIVED - CREDENTIALS - {"job_runs", "audit_log"}
    assert {table: after[table] for table in kept} == {table: before[table] for table in kept}


async def test_what_was_erased_is_found_by_nobody_and_others_keep_all(
    core: Core, alice: Person, bob: Person, clock: Clock, owner: psycopg.Connection
) -> None:
    for person in (alice, bob):
        await live(core, person)
    bind(owner, bob.principal.tenant_id)
    before = places_of(owner, [CANARY])
    await request_erasure(core.database, alice.principal, now=clock())
    clock.advance(minutes=1)
    await attempt(core, alice)
    assert places_of(owner, [CANARY]) == before
    assert (await find(core, bob, CANARY)).count == 3
    with pytest.raises(TokenRevoked):
        await find(core, alice, CANARY)


async def test_every_credential_stops_the_moment_an_erasure_is_asked_for(
    core: Core, alice: Person, clock: Clock
) -> None:
    key = await create_api_key(core.database, alice.principal, name="a key", scopes=(OAuthScope.ACCOUNT,), now=clock())
    await request_erasure(core.database, alice.principal, now=clock())
    with pytest.raises((AccessSuspended, Unauthenticated)):
        await write(core, alice)
    assert await resolve_api_key(core.database, key.text, clock()) is None


async def test_asking_twice_changes_nothing(core: Core, alice: Person, clock: Clock) -> None:
    first = await request_erasure(core.database, alice.principal, now=clock())
    again = await request_erasure(core.database, alice.principal, now=clock())
    assert (first.was_requested, again.was_requested) == (False, True)
    assert first.run_id == again.run_id


async def test_an_account_with_other_users_is_not_erased_for_one_of_them(
    core: Core, alice: Person, clock: Clock
) -> None:
    await rows(
        core,
        alice,
        "INSERT INTO users (tenant_id, id, email, created_at, updated_at)"
        " SELECT tenant_id, %(id)s, %(id)s::text, created_at, updated_at FROM users",
        id=new_id(),
    )
    with pytest.raises(Conflict):
        await request_erasure(core.database, alice.principal, now=clock())
    await write(core, alice)


async def test_it_begins_when_no_call_of_before_can_commit_any_more(core: Core, alice: Person, clock: Clock) -> None:
    await request_erasure(core.database, alice.principal, now=clock())
    clock.advance(seconds=14)
    assert await attempt(core, alice) is None
    clock.advance(seconds=2)
    assert await attempt(core, alice) is not None


async def test_it_waits_for_a_worker_that_still_stores_vectors(core: Core, alice: Person, clock: Clock) -> None:
    lexical = Core(core.database, None, core.cursors, clock)
    await write(lexical, alice)
    requested = await request_erasure(core.database, alice.principal, now=clock())
    clock.advance(minutes=1)
    await rows(core, alice, "UPDATE embedding_jobs SET lease_until = %(until)s", until=clock.now.replace(second=59))
    ended = await attempt(core, alice)
    assert ended is not None
    assert (ended.outcome, ended.error_class) == (JobOutcome.RELEASED, "Unavailable")
    clock.advance(minutes=2)
    ended = await attempt(core, alice)
    assert ended is not None
    assert ended.outcome is JobOutcome.OK
    assert (await show_run(core.database, requested.run_id)).attempts == 1


async def redacting(core: Core, person: Person, table: str) -> list[Row]:
    statement = Statement("test", "SELECT erase_rows(%(table)s, NULL, 10)")
    async with core.database.tenant(person.principal) as tx:
        return await tx.fetch_last(statement, {"table": table})


async def test_the_words_of_an_account_that_is_not_erased_are_out_of_reach(core: Core, alice: Person) -> None:
    await write(core, alice)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await redacting(core, alice, "memories")
    async with core.database.system() as tx:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await tx.fetch(Statement("test", "SELECT erase_rows('memories', NULL, 10)"))
