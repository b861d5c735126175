"""What callers notice when connections end or are scarce: nothing, where it can be helped."""

import asyncio
import contextlib
from dataclasses import replace

import psycopg
import pytest

from tests.integration.core.writing import write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.core.errors import DuplicateMemory

CONNECTIONS = 4
BACKEND = Statement("backend", "SELECT pg_backend_pid() AS pid")


async def backends(database: Database) -> set[int]:
    """The server processes behind as many units of work at once."""
    async with contextlib.AsyncExitStack() as held:
        units = [await held.enter_async_context(database.system()) for _ in range(CONNECTIONS)]
        return {row["pid"] for rows in await asyncio.gather(*(tx.fetch(BACKEND) for tx in units)) for row in rows}


async def test_connections_that_were_ended_while_nobody_used_them_fail_no_caller(
    database: Database, database_url: str
) -> None:
    before = await backends(database)
    assert len(before) == CONNECTIONS
    with psycopg.connect(database_url, autocommit=True) as same_role:
        for pid in before:
            # Waits, in milliseconds, until the process is gone.
            assert same_role.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,)).fetchone() == (True,)
    after = await backends(database)
    assert len(after) == CONNECTIONS
    assert not before & after


async def test_a_duplicate_is_named_over_the_only_connection(core: Core, database_url: str, alice: Person) -> None:
    scarce = Database(database_url, pool_min=1, pool_max=1)
    await scarce.open()
    core = replace(core, database=scarce)
    written = await write(core, alice)
    with pytest.raises(DuplicateMemory) as refused:
        await write(core, alice)
    await scarce.close()
    assert refused.value.subject_id == str(written.memory.id)
