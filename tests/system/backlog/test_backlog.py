"""A long backlog of memories without vectors: it is worked off, whatever happens to the worker meanwhile."""

from datetime import UTC, datetime
from functools import partial

import numpy as np
import psycopg

from tests.embedder import DIMENSIONS
from tests.integration.worker.programs import Stack
from tests.integration.worker.scripted_embedder import REFUSED, ScriptedEmbedder
from tests.integration.worker.writing import Diary
from tests.system.agent import eventually
from threengram.core.db.statement import tenant_statement
from threengram.evals.bench.corpus import generated
from threengram.evals.bench.load import Filling, index_rebuilt_afterwards, load

MODEL_ID = 1
LONG, SHORT = 10_000, 3_000
PATIENCE_S = 480.0
SHORT_LEASE_S = "3"
LONG_LEASE_S = "600"
"""A task begins no batch after one lease, and a busy machine takes longer than the usual one for all of them."""

FORGET_VECTORS = tenant_statement("test_forget", "DELETE FROM memory_embeddings WHERE tenant_id = %(tenant_id)s")
ENQUEUE = tenant_statement(
    "test_enqueue",
    "INSERT INTO embedding_jobs (tenant_id, memory_id, model_id, next_attempt_at, enqueued_at)"
    " SELECT tenant_id, id, %(model_id)s, %(now)s, %(now)s FROM memories WHERE tenant_id = %(tenant_id)s",
)
WAITING = tenant_statement("test_waiting", "SELECT count(*) FROM embedding_jobs WHERE tenant_id = %(tenant_id)s")


async def make_pending(diary: Diary, owner_url: str, count: int) -> None:
    """That many memories of the diary's owner, none of which has a vector."""
    now = datetime.now(UTC)
    vectors = np.ones((count, DIMENSIONS), dtype=np.float32) / np.float32(np.sqrt(DIMENSIONS))
    with (
        psycopg.connect(owner_url, autocommit=True) as owner,
        index_rebuilt_afterwards(owner, model_id=MODEL_ID, dimensions=DIMENSIONS),
    ):
        load(owner, [Filling(diary.person.principal, generated(count), vectors)], model_id=MODEL_ID, now=now)
        async with diary.core.database.tenant(diary.person.principal) as tx:
            await tx.fetch(FORGET_VECTORS)
            await tx.fetch(ENQUEUE, {"model_id": MODEL_ID, "now": now})


async def waiting(diary: Diary) -> int:
    async with diary.core.database.tenant(diary.person.principal) as tx:
        return int((await tx.fetch_last(WAITING))[0]["count"])


async def test_one_ring_fills_ten_thousand_rows(
    stack: Stack, diary: Diary, own_owner_url: str, hash_embedder_url: str
) -> None:
    await make_pending(diary, own_owner_url, LONG)
    assert await waiting(diary) == LONG
    worker = stack.worker(embedder_url=hash_embedder_url, lease_s=LONG_LEASE_S)
    stack.ring()
    took_s = await eventually(partial(is_below, diary, 1), within_s=PATIENCE_S)
    print(f"{LONG} rows in {took_s:.1f} s, start of the worker included")
    windows = await diary.windows()
    assert len(windows) == LONG
    assert set(windows.values()) == {(1, 1)}
    assert worker.metric('threengram_embedding_rows_total{outcome="failed"}') == 0


async def test_a_worker_that_is_killed_three_times_is_resumed_and_one_bad_row_stops_nobody(
    stack: Stack, diary: Diary, own_owner_url: str, scripted: ScriptedEmbedder
) -> None:
    await make_pending(diary, own_owner_url, SHORT)
    (refused,) = await diary.write(REFUSED)
    stack.beat()
    worker = stack.worker(embedder_url=scripted.url, lease_s=SHORT_LEASE_S)
    for left in (SHORT * 3 // 4, SHORT // 2, SHORT // 4):
        await eventually(partial(is_below, diary, left), within_s=PATIENCE_S)
        worker.kill()
        worker = stack.worker(embedder_url=scripted.url, lease_s=SHORT_LEASE_S)
    await eventually(partial(is_below, diary, 2), within_s=PATIENCE_S)
    (row,) = await diary.jobs()
    assert (row["memory_id"], row["error_class"]) == (refused, "EmbeddingFailed")
    windows = await diary.windows()
    assert len(windows) == SHORT
    assert set(windows.values()) == {(1, 1)}


async def is_below(diary: Diary, bound: int) -> bool:
    return await waiting(diary) < bound
