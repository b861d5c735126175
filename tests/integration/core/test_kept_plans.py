"""Plans that a connection keeps: of the everyday statements, where they may be kept, for every tenant alike."""

from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest

from tests.integration.core.test_search import find, ids_of, keep
from tests.people import Person
from threengram.core.call import Core
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement, Step, tenant_statement
from threengram.core.errors import DuplicateMemory

KEPT = Statement(
    "kept",
    "SELECT statement, generic_plans::int, custom_plans::int, current_setting('plan_cache_mode') AS mode"
    " FROM pg_prepared_statements",
)
SESSION = Statement(
    "session", "SELECT current_setting('plan_cache_mode') AS mode, current_setting('app.tenant_id', true) AS tenant"
)

LOOKED_UP = tenant_statement(
    "looked_up", "SELECT mode FROM retrieval_policies WHERE tenant_id = %(tenant_id)s", keeps_plan=True
)
SCANS = Statement(
    "scans",
    "SELECT seq_scan::int AS sequential, idx_scan::int AS by_index FROM pg_stat_xact_user_tables"
    " WHERE relname = 'retrieval_policies'",
    keeps_plan=True,
)


@pytest.fixture
async def keeping(core: Core, database_url: str) -> AsyncIterator[Core]:
    """A core on one connection, which keeps plans."""
    async with Database(database_url, pool_min=1, pool_max=1, keeps_plans=True) as database:
        yield replace(core, database=database)


async def kept(database: Database) -> dict[str, tuple[int, int]]:
    """How often each prepared statement of the connection ran with its one plan, and with a plan of its own."""
    async with database.system() as tx:
        rows = await tx.fetch_last(KEPT)
    return {row["statement"]: (row["generic_plans"], row["custom_plans"]) for row in rows}


async def test_admission_search_and_write_are_planned_once(keeping: Core, alice: Person) -> None:
    await keep(keeping, alice, "Plums ripen in August.", "Pears ripen in September.", "Nothing ripens in March.")
    for _ in range(3):
        await find(keeping, alice, "plums")
    plans = await kept(keeping.database)
    for part, calls in {"credential_stands": 6, "by_meaning <= ": 3, "INSERT INTO memories": 3}.items():
        counts = [counts for sql, counts in plans.items() if part in sql]
        assert counts == [(calls, 0)], (part, plans)


async def test_one_plan_shows_every_tenant_its_own_rows(keeping: Core, alice: Person, bob: Person) -> None:
    of_alice, of_bob = [await keep(keeping, person, "Plums ripen in August.") for person in (alice, bob)]
    for _ in range(3):
        assert ids_of(await find(keeping, alice, "plums")) == of_alice
        assert ids_of(await find(keeping, bob, "plums")) == of_bob


async def test_no_setting_outlives_its_unit_of_work(keeping: Core, alice: Person) -> None:
    await keep(keeping, alice, "Plums ripen in August.")
    async with keeping.database.system() as tx:
        assert await tx.fetch_last(SESSION) == [{"mode": "auto", "tenant": ""}]


async def test_a_connection_serves_on_after_a_refused_write(keeping: Core, alice: Person) -> None:
    ids = await keep(keeping, alice, "Plums ripen in August.")
    with pytest.raises(DuplicateMemory):
        await keep(keeping, alice, "Plums ripen in August.")
    ids += await keep(keeping, alice, "Pears ripen in September.")
    assert set(ids_of(await find(keeping, alice, "ripen"))) == set(ids)


async def test_nothing_is_prepared_unless_asked_for(core: Core, database_url: str, alice: Person) -> None:
    async with Database(database_url, pool_min=1, pool_max=1) as database:
        plain = replace(core, database=database)
        for content in "abcdefgh":
            await keep(plain, alice, f"Note {content} of the alphabet.")
            await find(plain, alice, "alphabet")
        assert await kept(database) == {}


async def test_statements_without_the_mark_are_never_prepared(keeping: Core, alice: Person) -> None:
    for _ in range(8):
        await find(keeping, alice, "plums", order="chronological")
    assert not [sql for sql in await kept(keeping.database) if "fetch" in sql or "ORDER BY m.recorded_at DESC" in sql]


async def test_a_plan_made_on_a_small_table_goes_by_its_index(keeping: Core, owner_url: str, alice: Person) -> None:
    """The table may grow a thousandfold before the plan is made anew."""
    async with await psycopg.AsyncConnection.connect(owner_url, autocommit=True) as owner:
        await owner.execute("ANALYZE retrieval_policies")
    async with keeping.database.tenant(alice.principal) as tx:
        _, (scans,) = await tx.run([Step(LOOKED_UP), Step(SCANS)], commit=True)
    assert scans["sequential"] == 0
    assert scans["by_index"] > 0
