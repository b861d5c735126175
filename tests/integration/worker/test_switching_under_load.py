"""From one model to another of another width and back, while people search and write, and a worker dies of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from signal import SIGCONT, SIGSTOP
from time import monotonic

import pytest

from tests.conftest import CURSOR_KEY
from tests.integration.worker.generations_of import NARROW, VECTORS, WAITING, WIDE, Shelf, kept_back
from tests.integration.worker.killing import asleep
from tests.integration.worker.programs import Program, Stack
from tests.integration.worker.switching import Load, Ranking, gateway, publish_key
from tests.integration.worker.writing import WRITERS, Diary
from tests.people import a_person
from tests.waiting import eventually
from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.embeddings.following import FollowingEmbedder
from threengram.migrations.status import Obstacle

pytestmark = pytest.mark.anyio

TEXTS = [f"the ferry number {number} leaves for island {number % 11} at noon" for number in range(200)]
KILLED_AT = len(TEXTS) * 3 // 10
LEASE_S = "2"
QUERIES = ("the ferry number 17", "noon", "ferries that leave for island 3", "number 199 of the ferries")
PATIENT_S = 10.0
"""Deadline of an embedding: a machine that is busy must not turn a search by meaning into one by words."""


@asynccontextmanager
async def a_core(database_url: str, embedder_url: str) -> AsyncIterator[Core]:
    async with Database(database_url, pool_min=1, pool_max=3 * WRITERS) as database:
        embedder = FollowingEmbedder(database, embedder_url, headers=dict, min_interval_s=0)
        try:
            yield Core(database, embedder, CursorSealer(CURSOR_KEY), lambda: datetime.now(UTC), PATIENT_S, PATIENT_S)
        finally:
            await embedder.close()


async def test_a_model_changes_to_another_width_and_back_under_load_though_its_fill_is_killed(
    stack: Stack, diary: Diary, own_database_url: str, own_owner_url: str, two_models_url: str, redis_url: str
) -> None:
    shelf = Shelf(diary.core, diary.person, two_models_url, own_owner_url)
    stack.variables |= {"EMBEDDER_URL": two_models_url, "LEASE_S": LEASE_S}
    worker, successor, _ = stack.worker(), await asleep(stack), stack.beat()
    publish_key(own_owner_url)
    writer = await a_person(diary.core.database)
    async with a_core(own_database_url, two_models_url) as core, gateway(core, redis_url) as door:
        await Diary(core, diary.person).write(*TEXTS)
        await eventually(diary.is_done)
        load = Load(door, diary.person, writer, QUERIES)
        by_wide = await load.rankings()
        async with load.running():
            await load.goes_on()
            await fill_with_a_kill(shelf, worker, successor)
            await load.goes_on()
            await shelf.build()
            began_at, switched_at = monotonic(), await switched(shelf, NARROW)
            await load.goes_on()
            by_narrow = await load.rankings()
            returning_at, returned_at = monotonic(), await switched(shelf, WIDE)
            await load.goes_on()
    for query in QUERIES:
        assert by_wide[query] != by_narrow[query]
        assert by_wide[query][1] == by_narrow[query][1] == "used"
    for search in load.searches:
        allowed: list[Ranking] = []
        if search.began_at < switched_at or search.ended_at > returning_at:
            allowed.append(by_wide[search.query])
        if search.ended_at > began_at and search.began_at < returned_at:
            allowed.append(by_narrow[search.query])
        assert search.ranking in allowed
    written = Shelf(diary.core, writer, two_models_url, own_owner_url)
    for name in (WIDE, NARROW):
        await eventually(partial(nothing_waits, written, name))
        rows = await written.rows(VECTORS, name)
        assert sorted(str(row["memory_id"]) for row in rows) == sorted(load.written)
        assert len(await shelf.rows(VECTORS, name)) == len(TEXTS)


async def fill_with_a_kill(shelf: Shelf, worker: Program, successor: Program) -> None:
    """Fill the second generation by a worker that is killed at thirty percent, and by one that wakes up then."""

    async def stored() -> int:
        return len(await shelf.rows(VECTORS, NARROW))

    async def is_at_thirty_percent() -> bool:
        return await stored() >= KILLED_AT

    async def is_complete() -> bool:
        return Obstacle.INCOMPLETE not in (await shelf.progress()).obstacles

    worker.process.send_signal(SIGSTOP)
    await shelf.add()
    with kept_back(shelf, NARROW, len(TEXTS) // 2):
        worker.process.send_signal(SIGCONT)
        await eventually(is_at_thirty_percent)
        worker.kill()
    assert KILLED_AT <= await stored() <= len(TEXTS) // 2
    assert not await is_complete()
    successor.process.send_signal(SIGCONT)
    await eventually(is_complete)


async def switched(shelf: Shelf, name: str) -> float:
    """The instant after which nothing but this model serves."""
    await shelf.activate(name)
    return monotonic()


async def nothing_waits(shelf: Shelf, name: str) -> bool:
    return not await shelf.rows(WAITING, name)
