"""A release in two steps: what new code needs first, what old code needed last, and both codes on what is between."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from tests.integration.migrations.conftest import ROLE
from tests.integration.migrations.later_release import AFTER, NOTHING, POST, PRE, plant, plant_the_next_release
from tests.servers import as_role
from threengram.core.db import guard, schema
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.ids import new_id
from threengram.migrations.phases import NewerSchema, Phase, UnfinishedRelease, phase_of
from threengram.migrations.run import history, upgrade

WRITERS = 20
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
async def released(empty_database: str) -> AsyncIterator[tuple[str, Database]]:
    """The owner's URL and the runtime role's pool of a database at this release."""
    password = secrets.token_urlsafe()
    upgrade(empty_database, runtime_password=password)
    async with Database(as_role(empty_database, ROLE, password), pool_max=8) as pool:
        yield empty_database, pool


def migrate(owner_url: str, home: Path, phase: Phase) -> str | None:
    return upgrade(owner_url, runtime_password="", phase=phase, home=home)


async def old_code_writes(database: Database, name: str) -> None:
    await provision.create_tenant(database, email=f"{name}@example.test", name=name, now=NOW)


def new_code_writes(owner_url: str, title: str) -> None:
    with psycopg.connect(owner_url) as owner:
        tenant = new_id()
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (str(tenant),))
        owner.execute("INSERT INTO tenants (id, title, created_at) VALUES (%s, %s, %s)", (tenant, title, NOW))


def names(owner_url: str, column: str) -> set[str]:
    """The column over all tenants, as the owner sees it with row security lifted for a moment."""
    with psycopg.connect(owner_url) as owner:
        owner.execute("ALTER TABLE tenants NO FORCE ROW LEVEL SECURITY")
        found = {row[0] for row in owner.execute(f"SELECT {column} FROM tenants".encode())}
        owner.rollback()
        return found


def eraser_may_write(owner_url: str, *columns: str) -> bool:
    with psycopg.connect(owner_url) as owner:
        granted = owner.execute(
            "SELECT array_agg(column_name::text ORDER BY column_name) FROM information_schema.role_column_grants"
            " WHERE table_name = 'tenants' AND privilege_type = 'UPDATE' AND grantee = 'tg_eraser'"
        ).fetchone()
        return granted == ([*columns],)


async def test_old_and_new_code_serve_together_between_the_two_steps(
    released: tuple[str, Database], next_release: Path
) -> None:
    owner_url, database = released
    plant_the_next_release(next_release)
    await old_code_writes(database, "before")
    with pytest.raises(schema.SchemaBehind):
        await schema.check(database, needs=PRE)

    assert migrate(owner_url, next_release, Phase.PRE) == PRE
    await guard.check(database)
    assert not await schema.check(database, needs=PRE)
    assert eraser_may_write(owner_url, "name", "title")
    await asyncio.gather(
        *(old_code_writes(database, f"old-{number}") for number in range(WRITERS)),
        *(asyncio.to_thread(new_code_writes, owner_url, f"new-{number}") for number in range(WRITERS)),
    )
    everybody = {f"{code}-{number}" for code in ("old", "new") for number in range(WRITERS)}
    assert names(owner_url, "name") == names(owner_url, "title")
    assert names(owner_url, "title") >= everybody

    assert migrate(owner_url, next_release, Phase.POST) == POST
    assert eraser_may_write(owner_url, "title")
    new_code_writes(owner_url, "after")
    assert names(owner_url, "title") >= everybody | {"after"}
    with pytest.raises(psycopg.errors.UndefinedColumn):
        await old_code_writes(database, "too late")


async def test_old_code_starts_anew_on_the_newer_schema(released: tuple[str, Database], next_release: Path) -> None:
    owner_url, database = released
    plant_the_next_release(next_release)
    migrate(owner_url, next_release, Phase.PRE)
    await schema.open_when_ready(database, timeout_s=30)
    await guard.check(database)


async def test_going_back_leaves_the_newer_schema_and_its_grants_as_they_are(
    released: tuple[str, Database], next_release: Path
) -> None:
    """The Jobs of the former release run once more when a release is rolled back."""
    owner_url, _ = released
    plant_the_next_release(next_release)
    migrate(owner_url, next_release, Phase.PRE)
    assert upgrade(owner_url, runtime_password="", phase=Phase.PRE) == PRE
    assert upgrade(owner_url, runtime_password="", phase=Phase.POST) == PRE
    assert eraser_may_write(owner_url, "name", "title")


async def test_where_no_other_code_runs_a_newer_schema_is_refused_in_words(
    released: tuple[str, Database], next_release: Path
) -> None:
    owner_url, _ = released
    plant_the_next_release(next_release)
    migrate(owner_url, next_release, Phase.ALL)
    with pytest.raises(NewerSchema, match=f"{POST}, and this release knows {schema.NEEDS} at most"):
        upgrade(owner_url, runtime_password="", phase=Phase.ALL)


async def test_what_a_newer_schema_opens_to_everybody_is_still_refused(
    released: tuple[str, Database], next_release: Path
) -> None:
    owner_url, database = released
    plant(next_release, PRE, "pre", '\n    op.execute("CREATE POLICY all_of_it ON tenants FOR SELECT USING (true)")\n')
    migrate(owner_url, next_release, Phase.PRE)
    with pytest.raises(guard.GuardViolation, match="all_of_it on tenants is not expected"):
        await guard.check(database)


async def test_new_code_waits_until_its_migrations_have_run(released: tuple[str, Database], next_release: Path) -> None:
    owner_url, old = released
    plant_the_next_release(next_release)
    new = Database(str(old.pool.conninfo))
    waiting = asyncio.create_task(schema.open_when_ready(new, timeout_s=60, needs=PRE))
    while not new.pool.get_stats().get("requests_num"):
        await asyncio.wait([waiting], timeout=0.01)
    assert not waiting.done()
    migrate(owner_url, next_release, Phase.PRE)
    await waiting
    await new.close()


async def test_waiting_for_a_schema_that_does_not_come_ends_at_its_deadline(
    released: tuple[str, Database],
) -> None:
    with pytest.raises(schema.SchemaBehind):
        await schema.open_when_ready(released[1], timeout_s=0.1, needs=PRE)


async def test_a_release_is_not_skipped_over(released: tuple[str, Database], next_release: Path) -> None:
    owner_url, _ = released
    plant_the_next_release(next_release)
    plant(next_release, AFTER, "pre", NOTHING)
    with pytest.raises(UnfinishedRelease, match=f"{POST} .* is pending"):
        migrate(owner_url, next_release, Phase.PRE)
    with pytest.raises(UnfinishedRelease, match=f"{PRE} is pending"):
        migrate(owner_url, next_release, Phase.POST)
    assert migrate(owner_url, next_release, Phase.ALL) == AFTER


def test_the_newest_migration_runs_where_the_roles_of_the_former_release_are_in_force(
    empty_database: str, next_release: Path
) -> None:
    (newest,) = (next_release / "versions").glob(f"{schema.NEEDS}_*.py")
    newest.unlink()
    former = migrate(empty_database, next_release, Phase.ALL)
    assert former is not None
    assert former < schema.NEEDS
    assert upgrade(empty_database, runtime_password="", phase=Phase.PRE) == schema.NEEDS
    with psycopg.connect(empty_database) as owner:
        owners = owner.execute(
            "SELECT DISTINCT pg_get_userbyid(proowner) FROM pg_proc"
            " WHERE pronamespace = 'public'::regnamespace AND prosecdef ORDER BY 1"
        ).fetchall()
        creators = owner.execute(
            "SELECT rolname FROM pg_roles WHERE rolname LIKE 'tg\\_%'"
            " AND has_schema_privilege(rolname, 'public', 'CREATE')"
        ).fetchall()
    assert owners == [("tg_eraser",), ("tg_resolver",), ("tg_sweeper",)]
    assert creators == []


def test_an_empty_database_has_no_old_code_to_wait_for(empty_database: str, next_release: Path) -> None:
    plant_the_next_release(next_release)
    assert upgrade(empty_database, runtime_password="x", phase=Phase.PRE, home=next_release) == POST
    assert migrate(empty_database, next_release, Phase.PRE) == POST
    assert migrate(empty_database, next_release, Phase.POST) == POST


def test_every_migration_says_when_it_is_deployed_and_the_code_needs_the_newest_first_half() -> None:
    scripts = list(history().walk_revisions())
    phases = {script.revision: phase_of(script) for script in scripts}
    assert max(revision for revision, phase in phases.items() if phase is Phase.PRE) == schema.NEEDS
    assert sorted(phases) == [f"{number:04}" for number in range(1, len(phases) + 1)]
