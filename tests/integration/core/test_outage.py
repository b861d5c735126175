"""What callers notice when connections end or are scarce: nothing, where it can be helped."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest

from tests.integration.core.writing import write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.core.errors import DuplicateMemory, Unavailable

CONNECTIONS = 4
BACKEND = Statement("backend", "SELECT pg_backend_pid() AS pid")


async def backends(database: Database) -> set[int]:
    """The server processes behind as many units of work at once."""
    async with contextlib.AsyncExitStack() as held:
        units = [await held.enter_async_context(database.system()) for _ in range(CONNECTIONS)]
        return {row["pid"] for rows in await asyncio.gather(*(tx.fetch(BACKEND) for tx in units)) for row in rows}


def end(database_url: str, pid: int) -> None:
    """End a server process of the same role and wait, in milliseconds, until it is gone."""
    with psycopg.connect(database_url, autocommit=True) as same_role:
        assert same_role.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,)).fetchone() == (True,)


@pytest.fixture
async def scarce(database_url: str) -> AsyncIterator[Database]:
    """A pool of one connection."""
    async with Database(database_url, pool_min=1, pool_max=1) as pool:
        yield pool


async def test_connections_that_were_ended_while_nobody_used_them_fail_no_caller(
    database: Database, database_url: str
) -> None:
    before = await backends(database)
    assert len(before) == CONNECTIONS
    for pid in before:
        end(database_url, pid)
    after = await backends(database)
    assert len(after) == CONNECTIONS
    assert not before & after


async def test_a_commit_that_fails_gives_its_connection_back(scarce: Database, database_url: str) -> None:
    async def use(*, is_ended: bool) -> int:
        async with scarce.system() as tx:
            (row,) = await tx.fetch(BACKEND)
            if is_ended:
                end(database_url, row["pid"])
            return int(row["pid"])

    with pytest.raises(Unavailable):
        await use(is_ended=True)
    assert await use(is_ended=False)


async def test_a_duplicate_is_named_over_the_only_connection(core: Core, scarce: Database, alice: Person) -> None:
    core = replace(core, database=scarce)
    written = await write(core, alice)
    with pytest.raises(DuplicateMemory) as refused:
        await write(core, alice)
    assert refused.value.subject_id == str(written.memory.id)
