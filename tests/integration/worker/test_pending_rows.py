from datetime import UTC, datetime, timedelta

import pytest

from tests.embedder import DIMENSIONS, MODELS
from tests.integration.worker.obedient import REFUSED, ObedientEmbedder
from tests.integration.worker.writing import Diary
from tests.servers import free_port
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import ServingModel, embed_pending, serving_models

pytestmark = pytest.mark.anyio

LEASE_S = 60


def client(url: str) -> HttpEmbedder:
    return HttpEmbedder(url, model_name=MODELS["hash"], dimensions=DIMENSIONS)


async def test_a_refused_row_waits_twice_as_long_after_each_try(diary: Diary, obedient: ObedientEmbedder) -> None:
    await diary.write(REFUSED)
    embedder = client(obedient.url)
    now = datetime.now(UTC) + timedelta(seconds=1)
    waits_s = []
    for _ in range(4):
        filled = await embed_pending(diary.core.database, embedder, now=now, lease_s=LEASE_S)
        assert (filled.claimed, filled.failed) == (1, 1)
        (row,) = await diary.jobs()
        waits_s.append((row["next_attempt_at"] - now).total_seconds())
        before = row["next_attempt_at"] - timedelta(seconds=1)
        assert (await embed_pending(diary.core.database, embedder, now=before, lease_s=LEASE_S)).claimed == 0
        now = row["next_attempt_at"]
    await embedder.close()
    assert waits_s == [4, 8, 16, 32]


async def test_an_outage_of_the_embedder_is_no_try_of_any_row(diary: Diary) -> None:
    await diary.write("one", "two", "three")
    embedder = client(f"http://127.0.0.1:{free_port()}")
    filled = await embed_pending(
        diary.core.database, embedder, now=datetime.now(UTC) + timedelta(seconds=1), lease_s=LEASE_S
    )
    await embedder.close()
    assert (filled.claimed, filled.released) == (3, 3)
    assert [(row["attempts"], row["lease_until"]) for row in await diary.jobs()] == [(0, None)] * 3


async def test_the_models_that_want_vectors_are_read_from_the_database(diary: Diary) -> None:
    assert await serving_models(diary.core.database) == [ServingModel(MODELS["hash"], DIMENSIONS)]
