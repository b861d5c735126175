"""Two locks on every tenant row, seen from the runtime role: no id, search, cursor or statement crosses tenants."""

import psycopg
import pytest
from psycopg import errors

from tests.integration.core.test_remember import write
from tests.integration.core.test_search import find, keep
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement, tenant_statement
from threengram.core.errors import NotFound
from threengram.core.ids import new_id
from threengram.core.memories import get_memories, read_resource
from threengram.schema.memories import GetMemoriesInput


async def test_a_foreign_id_answers_like_an_unknown_one(core: Core, alice: Person, bob: Person) -> None:
    written = await write(core, alice)
    unknown = new_id()
    async with open_call(core, bob.principal) as call:
        read = await get_memories(call, GetMemoriesInput(ids=[written.memory.id, unknown]))
    assert (read.memories, read.not_found) == ([], [written.memory.id, unknown])
    messages = []
    for memory_id in (written.memory.id, unknown):
        with pytest.raises(NotFound) as refused:
            async with open_call(core, bob.principal) as call:
                await read_resource(call, memory_id)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


async def test_statistics_of_words_stay_within_a_tenant(core: Core, alice: Person, bob: Person) -> None:
    await keep(core, alice, *(f"zebra {number}" for number in range(5)))
    (only,) = await keep(core, bob, "zebra crossing")
    found = await find(core, bob, "zebra")
    assert [str(hit.id) for hit in found.hits] == [only]


@pytest.fixture
async def tenant_tables(database: Database) -> list[str]:
    statement = Statement(
        "tables",
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        " AND relrowsecurity AND NOT relispartition ORDER BY relname",
    )
    async with database.system() as tx:
        return [row["relname"] for row in await tx.fetch(statement)]


async def test_without_a_bound_tenant_no_table_shows_a_row(
    core: Core, alice: Person, database: Database, tenant_tables: list[str]
) -> None:
    await write(core, alice, memory_type="commitment", facts=[{"subject": "s", "predicate": "p", "value": "v"}])
    assert len(tenant_tables) > 20
    async with database.system() as tx:
        for table in tenant_tables:
            rows = await tx.fetch(Statement("count", f"SELECT count(*) AS count FROM {table}"))
            assert rows == [{"count": 0}], table


async def test_a_statement_that_forgets_the_tenant_sees_only_the_bound_one(
    core: Core, alice: Person, bob: Person, database: Database
) -> None:
    await write(core, alice)
    await write(core, bob)
    forgetful = Statement("forgetful", "SELECT DISTINCT tenant_id FROM memories")
    async with database.tenant(bob.principal) as tx:
        assert await tx.fetch(forgetful) == [{"tenant_id": bob.principal.tenant_id}]


def test_a_tenant_statement_without_the_tenant_is_refused_when_it_is_written() -> None:
    with pytest.raises(ValueError, match="does not name the tenant"):
        tenant_statement("careless", "SELECT 1 FROM memories")


async def test_a_row_for_another_tenant_is_refused_by_the_database(
    database: Database, alice: Person, bob: Person
) -> None:
    smuggle = Statement(
        "smuggle", "INSERT INTO scopes (tenant_id, id, name, created_at) VALUES (%(victim)s, %(id)s, 'x', now())"
    )
    with pytest.raises(errors.InsufficientPrivilege):
        async with database.tenant(bob.principal) as tx:
            await tx.fetch(smuggle, {"victim": alice.principal.tenant_id, "id": new_id()})


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memories SET content = 'x'",
        "UPDATE memories SET topic = 'x'",
        "UPDATE memories SET memory_type = 'note'",
        "UPDATE memories SET content_hash = '\\x00'",
        "UPDATE memories SET valid_from = now()",
        "UPDATE memories SET recorded_at = now()",
        "DELETE FROM memories",
        "DELETE FROM facts",
        "UPDATE facts SET value = 'x'",
        "DELETE FROM memory_edges",
        "UPDATE memory_edges SET to_id = from_id",
        "DELETE FROM memory_events",
        "UPDATE memory_events SET event_kind = 'create'",
        "UPDATE memory_lifetimes SET valid_to = now()",
        "DELETE FROM memory_lifetimes",
        "DELETE FROM fact_lifetimes",
        "DELETE FROM audit_log",
        "UPDATE audit_log SET action = 'x'",
        "DELETE FROM commitments",
        "TRUNCATE memories",
        "INSERT INTO signing_keys VALUES ('k', '{}', 'active', now())",
        "SELECT * FROM memory_embeddings_00",
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
        "SET ROLE tg_sweeper",
        "CREATE TABLE mine (id int)",
    ],
)
def test_the_runtime_role_cannot(database_url: str, statement: str) -> None:
    with psycopg.connect(database_url) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute(statement)
