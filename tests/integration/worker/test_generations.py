"""Generations of embeddings: filled beside the one that serves, switched to and back, never mixed, gone for good."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from tests.conftest import CURSOR_KEY, RUNTIME_PASSWORD
from tests.integration.worker.generations_of import NARROW, VECTORS, WAITING, WIDE, Shelf
from tests.people import a_person
from tests.waiting import eventually
from threengram.core.call import Core, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.db.statement import Step
from threengram.core.embeddings.embedder import DocumentVectors, EmbedderUnavailable, QueryVector
from threengram.core.embeddings.following import FollowingEmbedder
from threengram.core.embeddings.store import storing
from threengram.core.ids import new_id
from threengram.core.memories.append import Draft, appending, first_window
from threengram.core.scopes.queries import FILING
from threengram.migrations import filling, generations, status
from threengram.migrations.generations import NotReady, WrongState, ensure_model
from threengram.migrations.index import drop_index, index_state
from threengram.migrations.run import upgrade
from threengram.migrations.status import Obstacle
from threengram.migrations.tenants import bound
from threengram.schema.enums import MemoryType, ModelState, VectorCoverage

pytestmark = pytest.mark.anyio

WAIT_S = 60.0
CALIBRATION = {"similarity": 1.0, "share": 1.0, "lift": 1.0, "words": 0.1, "bias": -1.0, "threshold": 0.5}


@pytest.fixture
async def shelf(own_database_url: str, own_owner_url: str, two_models_url: str) -> AsyncIterator[Shelf]:
    async with Database(own_database_url, pool_min=1, pool_max=6) as database:
        embedder = FollowingEmbedder(database, two_models_url, headers=dict, min_interval_s=0)
        core = Core(database, embedder, CursorSealer(CURSOR_KEY), lambda: datetime.now(UTC), 5.0, 5.0)
        yield Shelf(core, await a_person(database), two_models_url, own_owner_url)
        await embedder.close()


def drafted(content: str) -> Draft:
    return Draft(new_id(), MemoryType.NOTE, "a topic", content, "personal", None, [])


async def test_a_generation_is_filled_beside_the_active_one_switched_to_and_back(shelf: Shelf) -> None:
    before = await shelf.keep("apples and pears", "the ferry leaves at noon")
    added = await shelf.add()
    assert (added.state, added.enqueued_rows) == (ModelState.BUILDING, 2)
    assert (await shelf.progress()).obstacles == tuple(Obstacle)
    with pytest.raises(NotReady) as refused:
        await shelf.activate(NARROW, despite=())
    assert refused.value.obstacles == tuple(Obstacle)

    during = await shelf.keep("oranges and lemons")
    assert await shelf.fill(NARROW) == 3
    await shelf.build()
    await shelf.owning(lambda owner: generations.calibrate(owner, NARROW, CALIBRATION))
    assert (await shelf.progress()).obstacles == ()
    assert (await shelf.activate(NARROW, despite=())).state is ModelState.ACTIVE

    found = await shelf.find("apples")
    assert (found.coverage.vector, str(found.hits[0].id)) == (VectorCoverage.USED, before[0])
    assert found.coverage.confident is not None
    after = await shelf.keep("bananas")
    assert [str(row["memory_id"]) for row in await shelf.rows(WAITING, WIDE)] == after
    await shelf.fill(WIDE)
    for name in (WIDE, NARROW):
        assert {str(row["memory_id"]) for row in await shelf.rows(VECTORS, name)} == {*before, *during, *after}

    await shelf.activate(WIDE)
    found = await shelf.find("bananas")
    assert (found.coverage.vector, str(found.hits[0].id)) == (VectorCoverage.USED, after[0])
    assert found.coverage.pending_embeddings == 0


async def test_what_waits_for_a_generation_is_not_what_a_search_lacks(shelf: Shelf) -> None:
    await shelf.keep("apples and pears", "more apples")
    await shelf.add()
    assert len(await shelf.rows(WAITING, NARROW)) == 2
    assert (await shelf.find("apples")).coverage.pending_embeddings == 0


async def test_a_write_that_began_before_the_generation_was_known_has_its_row(shelf: Shelf) -> None:
    draft = drafted("written by somebody who had not heard of it")
    async with open_call(shelf.core, shelf.person.principal) as call:
        admission, tx = await call.admitted()
        _, steps = appending(call, admission, draft, None, at=call.now)
        await tx.run([Step(FILING), *steps])
        adding = asyncio.create_task(shelf.add())

        async def is_registered() -> bool:
            return any(one.name == NARROW for one in await shelf.owning(lambda owner: status.generations(owner)))

        await eventually(is_registered)
        assert not adding.done()
    async with asyncio.timeout(WAIT_S):
        assert (await adding).enqueued_rows == 1
    assert [row["memory_id"] for row in await shelf.rows(WAITING, NARROW)] == [draft.memory_id]


async def test_a_switch_between_admission_and_write_loses_no_vector(shelf: Shelf) -> None:
    await shelf.add()
    await shelf.build()
    draft = drafted("embedded by the one, written under the other")
    async with open_call(shelf.core, shelf.person.principal) as call:
        vectors = await first_window(call, draft.topic, draft.content)
        admission, tx = await call.admitted()
        await shelf.activate(NARROW)
        _, steps = appending(call, admission, draft, vectors, at=call.now)
        await tx.run([Step(FILING), *steps])
    assert [row["memory_id"] for row in await shelf.rows(VECTORS, WIDE)] == [draft.memory_id]
    assert [row["memory_id"] for row in await shelf.rows(WAITING, NARROW)] == [draft.memory_id]


class Faces:
    """An embedder of one width with a direction of its own for each model; it starts with one of them."""

    dimensions = 384
    is_metered = False

    def __init__(self, name: str, directions: dict[str, int]) -> None:
        self.model_name = name
        self._directions = directions

    def look_again(self) -> None:
        """Whoever asks for the other one gets it."""

    def speaking_for(self, model_name: str, dimensions: int) -> "Faces":
        if model_name not in self._directions:
            raise EmbedderUnavailable
        return Faces(model_name, self._directions)

    async def embed_query(self, query: str, *, timeout_s: float) -> QueryVector:
        return QueryVector(self.model_name, self._vector())

    async def embed_document(self, *_: object, **__: object) -> DocumentVectors:
        return DocumentVectors(self.model_name, [self._vector()], 1, 0)

    def _vector(self) -> list[float]:
        place = self._directions[self.model_name]
        return [float(number == place) for number in range(self.dimensions)]


async def test_vectors_of_one_width_by_two_models_are_never_compared(shelf: Shelf) -> None:
    former = Faces(WIDE, {WIDE: 0, "other": 1})
    writer = replace(shelf, core=replace(shelf.core, embedder=former))
    await writer.keep("apples and pears")

    def rename(owner: psycopg.Connection) -> None:
        owner.execute("UPDATE embedding_models SET name = 'other' WHERE name = %s", (WIDE,))

    # The rows of the former model stand for a mixture: a search that met them would see a cosine of zero or one.
    await shelf.owning(rename)
    found = await writer.find("apples")
    assert (found.coverage.vector, found.coverage.top_similarity) == (VectorCoverage.USED, 0.0)
    knows_one = replace(shelf, core=replace(shelf.core, embedder=Faces(WIDE, {WIDE: 0})))
    found = await knows_one.find("apples")
    assert (found.coverage.vector, found.coverage.top_similarity) == (VectorCoverage.UNAVAILABLE, None)
    assert len(found.hits) == 1


async def test_migrators_at_once_do_not_wait_for_each_other(own_owner_url: str) -> None:
    with psycopg.connect(own_owner_url, autocommit=True) as owner:
        drop_index(owner, model_id=1)
        with ThreadPoolExecutor(4) as pool:
            ensuring = [pool.submit(ensure_model, own_owner_url, name=WIDE, dimensions=384) for _ in range(3)]
            upgrading = pool.submit(upgrade, own_owner_url, runtime_password=RUNTIME_PASSWORD)
            assert [future.result(WAIT_S) for future in ensuring] == [1, 1, 1]
            upgrading.result(WAIT_S)
        assert index_state(owner, model_id=1).is_complete


async def test_a_retired_generation_leaves_nothing_takes_nothing_and_can_be_added_again(shelf: Shelf) -> None:
    (kept,) = await shelf.keep("apples and pears")
    added = await shelf.add()
    await shelf.fill(NARROW)
    await shelf.build()
    await shelf.keep("one more, whose row still waits")
    assert await shelf.retire() == 1
    assert await shelf.rows(VECTORS, NARROW) == await shelf.rows(WAITING, NARROW) == []
    assert (await shelf.owning(lambda owner: index_state(owner, model_id=added.id))).attached == 0

    async with shelf.core.database.tenant(shelf.person.principal) as tx:
        late = DocumentVectors(NARROW, [[1.0] + [0.0] * 63], 1, 0)
        await tx.run([storing((await shelf.rows(VECTORS, WIDE))[0]["memory_id"], added.id, late)], commit=True)
    await shelf.keep("and one after it")
    assert await shelf.rows(VECTORS, NARROW) == await shelf.rows(WAITING, NARROW) == []
    assert str((await shelf.find("apples")).hits[0].id) == kept

    again = await shelf.add()
    assert (again.id, again.enqueued_rows) == (added.id, 3)
    with pytest.raises(WrongState):
        await shelf.retire(WIDE)


async def test_an_interrupted_registration_is_resumed_and_doubles_nothing(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = await shelf.keep(*(f"apple number {number}" for number in range(7)))
    monkeypatch.setattr(filling, "BATCH_ROWS", 3)
    batches: list[Any] = []

    class Interrupted(Exception):
        """As a kill would."""

    def second_fails(owner: psycopg.Connection, tenant_id: Any) -> Any:
        batches.append(tenant_id)
        if len(batches) == 2:
            raise Interrupted
        return bound(owner, tenant_id)

    monkeypatch.setattr(filling, "bound", second_fails)
    with pytest.raises(Interrupted):
        await shelf.add()
    assert len(await shelf.rows(WAITING, NARROW)) == 3
    assert Obstacle.INCOMPLETE in (await shelf.progress()).obstacles
    await shelf.fill(NARROW)
    assert Obstacle.INCOMPLETE in (await shelf.progress()).obstacles
    assert (await shelf.add()).enqueued_rows == len(written) - 3
    assert await shelf.fill(NARROW) == len(written) - 3
    assert Obstacle.INCOMPLETE not in (await shelf.progress()).obstacles
    assert len(await shelf.rows(VECTORS, NARROW)) == len(written)


async def test_progress_tells_rate_and_time_left(shelf: Shelf) -> None:
    await shelf.keep("apples", "pears", "plums", "figs")
    added = await shelf.add()
    assert added.fill_began_at is not None

    def one_done_in_an_hour(owner: psycopg.Connection) -> None:
        owner.execute("UPDATE embedding_models SET fill_began_at = now() - interval '1 h', enqueued_rows = 5")

    await shelf.owning(one_done_in_an_hour)
    found = await shelf.progress()
    assert (found.waiting, found.missing, found.failing) == (4, 4, 0)
    assert found.rate == pytest.approx(1 / 3_600, rel=0.05)
    assert found.eta_s == pytest.approx(4 * 3_600, rel=0.05)
