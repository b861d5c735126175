"""A worker that dies in the middle of filling a generation leaves nothing undone, and the result is a fresh build's."""

import base64
from datetime import UTC, datetime

import httpx2
import numpy as np
import pytest

from tests.conftest import CURSOR_KEY
from tests.integration.worker.generations_of import NARROW, VECTORS, Shelf, kept_back
from tests.integration.worker.programs import Stack
from tests.integration.worker.writing import Diary
from tests.people import a_person
from tests.waiting import eventually
from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.embeddings.following import FollowingEmbedder
from threengram.migrations.status import Obstacle

pytestmark = pytest.mark.anyio

MEMORIES = 200
KILLED_AT = MEMORIES * 3 // 10
LEASE_S = "2"
QUERIES = ("the ferry number 17", "noon", "ferries that leave for island 3", "number 199 of the ferries")
HALF_PRECISION = 2e-3


def texts() -> list[str]:
    return [f"the ferry number {number} leaves for island {number % 11} at noon" for number in range(MEMORIES)]


def fresh_vectors(url: str, topic: str, contents: list[str]) -> dict[str, np.ndarray]:
    """What the embedder says of each text now."""
    found: dict[str, np.ndarray] = {}
    for start in range(0, len(contents), 64):
        part = contents[start : start + 64]
        request = {"model": NARROW, "input": part, "contexts": [topic] * len(part), "encoding_format": "base64"}
        answer = httpx2.post(f"{url}/v1/embeddings", json=request, timeout=60, trust_env=False).raise_for_status()
        for text, datum in zip(part, answer.json()["data"], strict=True):
            found[text] = np.frombuffer(base64.b64decode(datum["embedding"]), "<f4")
    return found


async def test_a_fill_killed_at_thirty_percent_is_finished_by_another_worker(
    stack: Stack, diary: Diary, own_owner_url: str, two_models_url: str
) -> None:
    shelf = Shelf(diary.core, diary.person, two_models_url, own_owner_url)
    await diary.write(*texts())
    assert (await shelf.add()).enqueued_rows == MEMORIES

    async def stored() -> int:
        return len(await shelf.rows(VECTORS, NARROW))

    async def is_at_thirty_percent() -> bool:
        return await stored() >= KILLED_AT

    with kept_back(shelf, NARROW, MEMORIES // 2):
        first, beat = stack.worker(embedder_url=two_models_url, lease_s=LEASE_S), stack.beat(lease_s=LEASE_S)
        await eventually(is_at_thirty_percent)
        first.kill()
    assert KILLED_AT <= await stored() <= MEMORIES // 2
    assert Obstacle.INCOMPLETE in (await shelf.progress()).obstacles
    late = await diary.write("written while nobody fills")

    stack.worker(embedder_url=two_models_url, lease_s=LEASE_S)
    await eventually(diary.is_done)
    found = await shelf.progress()
    assert (found.missing, Obstacle.INCOMPLETE in found.obstacles) == (0, False)
    assert beat.process.poll() is None

    rows = await shelf.rows(VECTORS, NARROW)
    assert len(rows) == len({row["memory_id"] for row in rows}) == MEMORIES + 1
    assert late[0] in {row["memory_id"] for row in rows}
    expected = fresh_vectors(two_models_url, "a topic", [row["content"] for row in rows])
    for row in rows:
        vector = np.array(row["embedding"].strip("[]").split(","), np.float32)
        assert np.abs(vector - expected[row["content"]]).max() < HALF_PRECISION
    await shelf.build()
    await shelf.activate(NARROW)
    await same_as_a_fresh_build(shelf)


async def same_as_a_fresh_build(shelf: Shelf) -> None:
    """Somebody who writes the same under the new model from the start finds the same, in the same order."""
    database = shelf.core.database
    embedder = FollowingEmbedder(database, shelf.embedder_url, headers=dict)
    core = Core(database, embedder, CursorSealer(CURSOR_KEY), lambda: datetime.now(UTC), 5.0, 5.0)
    switched = Shelf(core, shelf.person, shelf.embedder_url, shelf.owner_url)
    writer = Diary(shelf.core, await a_person(database))
    await writer.write(*texts(), "written while nobody fills")
    fresh = Shelf(core, writer.person, shelf.embedder_url, shelf.owner_url)
    await fresh.fill(NARROW)
    for query in QUERIES:
        ours, theirs = await switched.find(query), await fresh.find(query)
        assert ours.coverage.top_similarity == theirs.coverage.top_similarity is not None
        assert len(ours.hits) == len(theirs.hits)
        assert [hit.score for hit in ours.hits] == pytest.approx([hit.score for hit in theirs.hits], abs=1e-3)
    await embedder.close()
