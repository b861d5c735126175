"""The password of the runtime role changes without a refused connection: two roles take turns."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import psycopg
import pytest

from tests.servers import as_role
from threengram.core.db import guard
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.migrations.run import retire, upgrade

FIRST, SECOND = "threengram_runtime_a", "threengram_runtime_b"
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


async def keep_writing(database: Database, name: str, stop: asyncio.Event) -> int:
    """How many tenants were made until `stop`; every call has to succeed, each on a connection of its own."""
    made = 0
    while not stop.is_set():
        await provision.create_tenant(database, email=f"{name}-{made}@example.test", name=name, now=NOW)
        await database.pool.drain()
        made += 1
    return made


async def test_two_roles_take_turns_without_a_failed_call(empty_database: str) -> None:
    passwords = {role: secrets.token_urlsafe() for role in (FIRST, SECOND)}
    gone, finished = asyncio.Event(), asyncio.Event()
    await asyncio.to_thread(upgrade, empty_database, runtime_password=passwords[FIRST], runtime_role=FIRST)
    async with opened(as_role(empty_database, FIRST, passwords[FIRST])) as first, asyncio.TaskGroup() as pods:
        old = pods.create_task(keep_writing(first, "old", gone))
        await asyncio.to_thread(upgrade, empty_database, runtime_password=passwords[SECOND], runtime_role=SECOND)
        async with (
            opened(as_role(empty_database, SECOND, passwords[SECOND])) as second,
            asyncio.TaskGroup() as new_pods,
        ):
            new = new_pods.create_task(keep_writing(second, "new", finished))
            await guard.check(second)
            await guard.check(first)
            gone.set()
            assert await old > 0
            await asyncio.to_thread(retire, empty_database, [FIRST, "threengram_runtime_never_there"])
            await asyncio.to_thread(retire, empty_database, [FIRST])
            finished.set()
            assert await new > 0
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(as_role(empty_database, FIRST, passwords[FIRST]))


async def test_roles_and_grants_are_applied_again_without_a_lock_on_any_table(empty_database: str) -> None:
    upgrade(empty_database, runtime_password="x", runtime_role=FIRST)
    with psycopg.connect(empty_database) as writer:
        tables = writer.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        )
        for (table,) in tables.fetchall():
            writer.execute(f"LOCK TABLE {table} IN ROW EXCLUSIVE MODE".encode())
        await asyncio.wait_for(
            asyncio.to_thread(upgrade, empty_database, runtime_password="y", runtime_role=FIRST), timeout=60
        )


async def test_an_open_session_of_a_retired_role_reads_nothing_more(empty_database: str) -> None:
    password = secrets.token_urlsafe()
    upgrade(empty_database, runtime_password=password, runtime_role=FIRST)
    with psycopg.connect(as_role(empty_database, FIRST, password), autocommit=True) as session:
        session.execute("SELECT FROM signing_keys")
        retire(empty_database, [FIRST])
        with pytest.raises(psycopg.errors.UndefinedTable):
            session.execute("SELECT FROM signing_keys")


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    async with Database(url, pool_min=1) as database:
        yield database
