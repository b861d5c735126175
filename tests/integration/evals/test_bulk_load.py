"""The bulk loader of the benchmarks: its rows are those that `remember` writes."""

from datetime import datetime
from uuid import UUID

import numpy as np
import psycopg
import pytest

from tests.conftest import Clock
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.memories import remember
from threengram.evals.bench.corpus import Text, generated
from threengram.evals.bench.load import Filling, load
from threengram.schema.enums import MemoryType
from threengram.schema.memories import RememberInput

TEXTS = [
    Text(MemoryType.DECISION, "Broker", "Rows are the queue; rows survive a restart.", "work", "atlas", ("b", "a")),
    Text(MemoryType.COMMITMENT, "Report", "Grace sends the report on Friday.", "personal"),
    *generated(3),
]
WRITTEN_TABLES = (
    "tenant_counters", "memories", "memory_lifetimes", "memory_events", "commitments", "memory_terms", "term_stats",
    "memory_embeddings", "embedding_jobs", "facts", "fact_lifetimes", "memory_edges",
)  # fmt: skip


async def remembered(core: Core, person: Person, text: Text) -> None:
    request = RememberInput(
        memory_type=text.memory_type,
        topic=text.topic,
        content=text.content,
        scope=text.scope,
        project=text.project,
        tags=list(text.tags),
    )
    async with open_call(core, person.principal) as call:
        await remember(call, request)


async def rows_of(database: Database, person: Person) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the tenant without ids and instants; a set value of those is only said to be there."""
    contents = {}
    async with database.tenant(person.principal) as tx:
        for table in WRITTEN_TABLES:
            rows = await tx.fetch(Statement("rows", f"SELECT * FROM {table}"))
            contents[table] = sorted(
                (tuple(_without_identity(value) for value in row.values()) for row in rows), key=repr
            )
    return contents


def _without_identity(value: object) -> object:
    return type(value).__name__ if isinstance(value, UUID | datetime) else repr(value)


@pytest.fixture
def owner(owner_url: str) -> psycopg.Connection:
    return psycopg.connect(owner_url, autocommit=True)


async def test_a_bulk_loaded_memory_has_the_rows_of_a_remembered_one(
    core: Core,
    database: Database,
    embedder: HttpEmbedder,
    owner: psycopg.Connection,
    alice: Person,
    bob: Person,
    clock: Clock,
) -> None:
    vectors = []
    for text in TEXTS:
        await remembered(core, alice, text)
        document = await embedder.embed_document(
            text.topic, text.content, timeout_s=5, first_window_only=False, priority="write"
        )
        vectors.append(document.vectors[0])
    with owner:
        load(owner, [Filling(bob.principal, TEXTS, np.asarray(vectors, dtype=np.float32))], model_id=1, now=clock())
    assert await rows_of(database, bob) == await rows_of(database, alice)


async def test_a_load_leaves_row_security_forced(owner: psycopg.Connection, alice: Person, clock: Clock) -> None:
    def unforced() -> list[tuple[str]]:
        return owner.execute(
            "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"
            " AND relnamespace = 'public'::regnamespace"
        ).fetchall()

    vectors = np.eye(len(TEXTS), 384, dtype=np.float32)
    with owner:
        load(owner, [Filling(alice.principal, TEXTS, vectors)], model_id=1, now=clock())
        assert unforced() == []
