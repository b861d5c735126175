"""Calls end at any moment: their deadlines pass and their clients leave. The pool keeps count of its connections."""

import asyncio
import random
from functools import partial

import anyio
import pytest

from tests.waiting import eventually
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.core.errors import Unavailable

pytestmark = pytest.mark.anyio

SLOW = Statement("slow", "SELECT pg_sleep(0.002)")
POOL_MAX = 6
CALLS = 1_200
AT_ONCE = 48
LONGEST_S = 0.05


async def test_calls_cancelled_at_any_moment_give_their_connections_back(database_url: str) -> None:
    moments = random.Random(7)
    waiting = iter([(number % 2 == 0, moments.random() * LONGEST_S) for number in range(CALLS)])

    async def caller() -> None:
        for by_deadline, after_s in waiting:
            await (cut_by_deadline if by_deadline else cut_by_its_owner)(database, after_s)

    async with Database(database_url, pool_min=2, pool_max=POOL_MAX) as database:
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(caller())
        await eventually(partial(is_complete, database))


async def cut_by_deadline(database: Database, after_s: float) -> None:
    """Told again and again, at every point where it waits, until it has ended."""
    with anyio.move_on_after(after_s):
        await work(database)


async def cut_by_its_owner(database: Database, after_s: float) -> None:
    """Told once."""
    task = asyncio.create_task(work(database))
    await asyncio.wait([task], timeout=after_s)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def work(database: Database) -> None:
    try:
        async with database.system() as tx:
            await tx.fetch(SLOW)
            await tx.fetch(SLOW)
    except Unavailable:
        pass  # The pool is small on purpose, and a connection that was cut mid-statement is gone.


async def is_complete(database: Database) -> bool:
    stats = database.pool.get_stats()
    return stats["pool_available"] == stats["pool_size"] and stats["requests_waiting"] == 0
