"""Write many memories at once, row for row what `remember` would have written.

Row security is forced on the owner too and COPY refuses to work under it, so the load runs in one transaction that
lifts FORCE on the tables concerned and puts it back: no other session ever sees them without.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from threengram.core.ids import new_id
from threengram.core.lexical.analyser import document_terms
from threengram.core.memories.append import content_hash
from threengram.core.principal import Principal
from threengram.evals.bench import binary_copy
from threengram.evals.bench.corpus import Text
from threengram.migrations.index import build_index
from threengram.schema.enums import MemoryType

TABLES = (
    "tenant_counters", "memories", "memory_lifetimes", "memory_events", "commitments", "memory_terms", "term_stats",
    "memory_embeddings",
)  # fmt: skip
SPACING = timedelta(seconds=30)
BUILD_MEMORY = "512MB"


@dataclass(frozen=True, eq=False)
class Filling:
    """What one empty tenant gets; `vectors` has a row of unit length for each text, which fits into one window."""

    principal: Principal
    texts: Sequence[Text]
    vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Row:
    """One memory with everything that only exists once it is stored."""

    memory_id: UUID
    memory_no: int
    text: Text
    recorded_at: datetime


def load(
    owner: psycopg.Connection,
    fillings: Sequence[Filling],
    *,
    model_id: int,
    now: datetime,
    spacing: timedelta = SPACING,
) -> None:
    """Fill tenants that hold nothing yet, in one transaction; the newest memory of each is from `now`."""
    with owner.transaction():
        _force(owner, is_forced=False)
        for filling in fillings:
            rows = list(_rows(filling, now, spacing))
            _copy_memories(owner, filling.principal, rows)
            _copy_commitments(owner, filling.principal, rows)
            _copy_terms(owner, filling.principal, rows)
            binary_copy.embeddings(
                owner, filling.principal.tenant_id, [row.memory_id for row in rows], filling.vectors, model_id
            )
        _force(owner, is_forced=True)


_SPREAD: tuple[LiteralString, ...] = (
    """INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars,
                              content_hash, scope, project, tags, valid_from, recorded_at, touched_at)
       SELECT t.tenant_id, md5(t.tenant_id::text || m.id::text)::uuid, (m.memory_no - 1) %% %(count)s + 1, t.user_id,
              m.memory_type, m.topic, m.content, m.content_chars, m.content_hash, m.scope, m.project, m.tags,
              m.valid_from, m.recorded_at, m.touched_at
       FROM unnest(%(tenants)s::uuid[], %(users)s::uuid[]) WITH ORDINALITY AS t (tenant_id, user_id, place)
       JOIN memories m ON m.tenant_id = %(source)s AND (m.memory_no - 1) / %(count)s + 1 = t.place""",
    """INSERT INTO memory_lifetimes (tenant_id, memory_id, version, valid_from, status, recorded_from)
       SELECT tenant_id, id, 1, valid_from, 'active', recorded_at FROM memories
       WHERE tenant_id = ANY(%(tenants)s::uuid[])""",
    """INSERT INTO memory_embeddings (tenant_id, memory_id, model_id, window_no, window_count, omitted_windows,
                                       embedding)
       SELECT t.tenant_id, md5(t.tenant_id::text || e.memory_id::text)::uuid, e.model_id, e.window_no, e.window_count,
              e.omitted_windows, e.embedding
       FROM unnest(%(tenants)s::uuid[]) WITH ORDINALITY AS t (tenant_id, place)
       JOIN memories m ON m.tenant_id = %(source)s AND (m.memory_no - 1) / %(count)s + 1 = t.place
       JOIN memory_embeddings e ON e.tenant_id = m.tenant_id AND e.memory_id = m.id""",
    """INSERT INTO memory_terms (tenant_id, term, memory_no, weight)
       SELECT t.tenant_id, p.term, (p.memory_no - 1) %% %(count)s + 1, p.weight
       FROM unnest(%(tenants)s::uuid[]) WITH ORDINALITY AS t (tenant_id, place)
       JOIN memory_terms p ON p.tenant_id = %(source)s AND (p.memory_no - 1) / %(count)s + 1 = t.place""",
    """INSERT INTO term_stats (tenant_id, term, df)
       SELECT tenant_id, term, count(*) FROM memory_terms WHERE tenant_id = ANY(%(tenants)s::uuid[])
       GROUP BY tenant_id, term""",
    "UPDATE tenant_counters SET memory_count = %(count)s WHERE tenant_id = ANY(%(tenants)s::uuid[])",
)


def spread(owner: psycopg.Connection, source: Principal, crowd: Sequence[Principal], *, count: int) -> None:
    """Give each empty tenant of a crowd the next `count` memories of a full one, with vectors and postings.

    The database copies them, which is much faster than `load`; events and commitments stay behind.
    """
    parameters = {
        "source": source.tenant_id,
        "tenants": [principal.tenant_id for principal in crowd],
        "users": [principal.user_id for principal in crowd],
        "count": count,
    }
    with owner.transaction():
        _force(owner, is_forced=False)
        # Tables that were filled a moment ago have no statistics, and a nested loop over both sides would take hours.
        owner.execute("SET LOCAL enable_nestloop = off")
        for statement in _SPREAD:
            owner.execute(statement, parameters)
        _force(owner, is_forced=True)


@contextmanager
def index_rebuilt_afterwards(owner: psycopg.Connection, *, model_id: int, dimensions: int) -> Iterator[None]:
    """Load inside without the vector index and build it at the end, which is many times faster. Needs autocommit."""
    owner.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(f"memory_embeddings_hnsw_{model_id}")))
    yield
    owner.execute(sql.SQL("SET maintenance_work_mem = {}").format(sql.Literal(BUILD_MEMORY)))
    build_index(owner, model_id=model_id, dimensions=dimensions)
    owner.execute("RESET maintenance_work_mem")


def settle(owner: psycopg.Connection) -> None:
    """Statistics and visibility as a database has them that did not grow a moment ago. Needs autocommit."""
    for table in TABLES:
        owner.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))


def _force(owner: psycopg.Connection, *, is_forced: bool) -> None:
    change = sql.SQL(
        "ALTER TABLE {} FORCE ROW LEVEL SECURITY" if is_forced else "ALTER TABLE {} NO FORCE ROW LEVEL SECURITY"
    )
    for table in TABLES:
        owner.execute(change.format(sql.Identifier(table)))


def _rows(filling: Filling, now: datetime, spacing: timedelta) -> Iterator[_Row]:
    oldest = now - spacing * (len(filling.texts) - 1)
    for index, text in enumerate(filling.texts):
        yield _Row(new_id(), index + 1, text, oldest + spacing * index)


def _copy_memories(owner: psycopg.Connection, principal: Principal, rows: Sequence[_Row]) -> None:
    tenant_id = principal.tenant_id
    with (
        owner.cursor() as cursor,
        cursor.copy(
            "COPY memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars,"
            " content_hash, scope, project, tags, valid_from, recorded_at, touched_at) FROM STDIN"
        ) as copy,
    ):
        for row in rows:
            text, at = row.text, row.recorded_at
            copy.write_row((
                tenant_id, row.memory_id, row.memory_no, principal.user_id, text.memory_type, text.topic, text.content,
                len(text.content), content_hash(text.content), text.scope, text.project, list(text.tags), at, at, at,
            ))  # fmt: skip
    with (
        owner.cursor() as cursor,
        cursor.copy(
            "COPY memory_lifetimes (tenant_id, memory_id, version, valid_from, status, recorded_from) FROM STDIN"
        ) as copy,
    ):
        for row in rows:
            copy.write_row((tenant_id, row.memory_id, 1, row.recorded_at, "active", row.recorded_at))
    with (
        owner.cursor() as cursor,
        cursor.copy(
            "COPY memory_events (tenant_id, id, memory_id, event_kind, actor_kind, recorded_at) FROM STDIN"
        ) as copy,
    ):
        for row in rows:
            copy.write_row((tenant_id, new_id(), row.memory_id, "create", principal.actor, row.recorded_at))
    owner.execute(
        "UPDATE tenant_counters SET memory_count = %s WHERE tenant_id = %s AND memory_count = 0", (len(rows), tenant_id)
    )


def _copy_commitments(owner: psycopg.Connection, principal: Principal, rows: Sequence[_Row]) -> None:
    with (
        owner.cursor() as cursor,
        cursor.copy("COPY commitments (tenant_id, id, memory_id, recorded_at, updated_at) FROM STDIN") as copy,
    ):
        for row in rows:
            if row.text.memory_type is MemoryType.COMMITMENT:
                copy.write_row((principal.tenant_id, new_id(), row.memory_id, row.recorded_at, row.recorded_at))


def _copy_terms(owner: psycopg.Connection, principal: Principal, rows: Sequence[_Row]) -> None:
    frequency: Counter[int] = Counter()
    postings: list[tuple[int, int, int]] = []
    for row in rows:
        for term in document_terms(row.text.topic, row.text.content):
            frequency[term.key] += 1
            postings.append((term.key, row.memory_no, term.weight))
    postings.sort()
    binary_copy.postings(owner, principal.tenant_id, postings)
    binary_copy.frequencies(owner, principal.tenant_id, sorted(frequency.items()))
