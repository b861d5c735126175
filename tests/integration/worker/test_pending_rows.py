import asyncio
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from tests.embedder import DIMENSIONS, MODELS
from tests.integration.jobs.canaries import bind
from tests.integration.worker.scripted_embedder import REFUSED, ScriptedEmbedder
from tests.integration.worker.writing import Diary
from tests.servers import free_port
from tests.waiting import eventually
from threengram.core.db.database import Database
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import ServingModel, embed_pending, serving_models
from threengram.worker.settings import Settings

pytestmark = pytest.mark.anyio

LEASE_S: float = Settings.model_fields["lease_s"].default
"""As it is in production."""


def client(url: str) -> HttpEmbedder:
    return HttpEmbedder(url, model_name=MODELS["hash"], dimensions=DIMENSIONS)


async def test_a_refused_row_waits_twice_as_long_after_each_try(diary: Diary, scripted: ScriptedEmbedder) -> None:
    await diary.write(REFUSED)
    embedder = client(scripted.url)
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


async def test_another_worker_takes_over_at_the_end_of_a_production_lease(
    diary: Diary, scripted: ScriptedEmbedder
) -> None:
    written = await diary.write("one", "two")
    embedder, successor = client(scripted.url), client(scripted.url)
    now = datetime.now(UTC) + timedelta(seconds=1)
    scripted.hold()
    dying = asyncio.create_task(embed_pending(diary.core.database, embedder, now=now, lease_s=LEASE_S))
    await eventually(lambda: scripted.held == len(written))
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    scripted.let_go()
    for later_s, taken_over in ((LEASE_S - 0.01, 0), (LEASE_S + 0.01, len(written))):
        later = now + timedelta(seconds=later_s)
        filled = await embed_pending(diary.core.database, successor, now=later, lease_s=LEASE_S)
        assert (filled.claimed, filled.stored) == (taken_over, taken_over)
    assert await diary.windows() == dict.fromkeys(written, (1, 1))
    for one in (embedder, successor):
        await one.close()


async def test_an_outage_of_the_embedder_is_no_try_of_any_row(diary: Diary) -> None:
    await diary.write("one", "two", "three")
    embedder = client(f"http://127.0.0.1:{free_port()}")
    filled = await embed_pending(
        diary.core.database, embedder, now=datetime.now(UTC) + timedelta(seconds=1), lease_s=LEASE_S
    )
    await embedder.close()
    assert (filled.claimed, filled.released) == (3, 3)
    assert [(row["attempts"], row["lease_until"]) for row in await diary.jobs()] == [(0, None)] * 3


async def test_a_row_whose_statement_takes_too_long_waits_by_itself(
    diary: Diary, own_database_url: str, own_owner_url: str, scripted: ScriptedEmbedder
) -> None:
    stuck, *others = await diary.write("one", "two", "three")
    async with Database(own_database_url, statement_timeout_ms=3_000) as hasty:
        embedder = client(scripted.url)
        with psycopg.connect(own_owner_url) as owner:
            bind(owner, diary.person.principal.tenant_id)
            # Whoever stores the same window waits for the end of this transaction.
            owner.execute(
                "INSERT INTO memory_embeddings (tenant_id, memory_id, model_id, window_no, window_count, embedding)"
                " SELECT tenant_id, memory_id, model_id, 0, 1, array_fill(1, ARRAY[384])::real[]::halfvec"
                " FROM embedding_jobs WHERE memory_id = %s",
                [stuck],
            )
            now = datetime.now(UTC) + timedelta(seconds=1)
            filled = await embed_pending(hasty, embedder, now=now, lease_s=LEASE_S)
            owner.rollback()
        await embedder.close()
    assert (filled.claimed, filled.stored, filled.failed) == (3, 2, 1)
    (row,) = await diary.jobs()
    assert (row["memory_id"], row["attempts"], row["error_class"]) == (stuck, 1, "TookTooLong")
    assert (await diary.windows()).keys() == set(others)


async def test_the_models_that_want_vectors_are_read_from_the_database(diary: Diary) -> None:
    assert await serving_models(diary.core.database) == [ServingModel(MODELS["hash"], DIMENSIONS)]
