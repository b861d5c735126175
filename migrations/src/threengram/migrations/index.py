"""The HNSW index of one generation: built concurrently on each partition, attached to its parent, dropped again."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import psycopg
from psycopg import sql

from threengram.migrations.locks import INDEX_LOCK, held

INDEX_PARAMETERS = sql.SQL("WITH (m = 16, ef_construction = 128)")
LOCK_TIMEOUT = "2s"
LOCK_TRIES = 30
PAUSE_S = 0.5
VECTORS = "memory_embeddings"


@dataclass(frozen=True, slots=True)
class IndexState:
    """How many partitions have their part of an index, of how many; a walk needs all of them."""

    attached: int
    partitions: int

    @property
    def is_complete(self) -> bool:
        """Whether a search may walk it."""
        return self.attached == self.partitions


def build_index(owner: psycopg.Connection, *, model_id: int, dimensions: int) -> None:
    """Build what is missing of the index of a model; the connection is in autocommit.

    The expression casts to the generation's width and the predicate names the model, so that queries must do the same
    with literals for the planner to see the index. Writers wait for two short locks a partition, not for a build.
    """
    parent = _name(VECTORS, model_id)
    on = sql.SQL("USING hnsw ((embedding::halfvec({})) halfvec_cosine_ops) {} WHERE model_id = {}").format(
        sql.Literal(dimensions), INDEX_PARAMETERS, sql.Literal(model_id)
    )
    with held(owner, INDEX_LOCK):
        create = sql.SQL("CREATE INDEX IF NOT EXISTS {} ON ONLY {} {}")
        _briefly(owner, create.format(sql.Identifier(parent), sql.Identifier(VECTORS), on))
        for partition in _partitions(owner):
            _build_part(owner, parent, partition, _name(partition, model_id), on)


def index_state(owner: psycopg.Connection, *, model_id: int) -> IndexState:
    """How far the index of a model has come."""
    attached = owner.execute(
        "SELECT count(*) FROM pg_inherits h JOIN pg_index i ON i.indexrelid = h.inhrelid AND i.indisvalid"
        " WHERE h.inhparent = to_regclass(%s)",
        (_name(VECTORS, model_id),),
    ).fetchone()
    return IndexState(int(attached[0]) if attached else 0, len(_partitions(owner)))


def drop_index(owner: psycopg.Connection, *, model_id: int) -> None:
    """Drop the index of a model, attached parts and stray ones."""
    with held(owner, INDEX_LOCK):
        names = [_name(VECTORS, model_id), *(_name(partition, model_id) for partition in _partitions(owner))]
        for name in names:
            _briefly(owner, sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(name)))


def _build_part(owner: psycopg.Connection, parent: str, partition: str, child: str, on: sql.Composable) -> None:
    attached = owner.execute(
        "SELECT i.indisvalid, h.inhparent IS NOT NULL FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid"
        " LEFT JOIN pg_inherits h ON h.inhrelid = c.oid WHERE c.relname = %s",
        (child,),
    ).fetchone()
    if attached == (True, True):
        return
    if attached is not None and not attached[0]:
        _briefly(owner, sql.SQL("DROP INDEX {}").format(sql.Identifier(child)))
    owner.execute(
        sql.SQL("CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON {} {}").format(
            sql.Identifier(child), sql.Identifier(partition), on
        )
    )
    attach = sql.SQL("ALTER INDEX {} ATTACH PARTITION {}")
    _briefly(owner, attach.format(sql.Identifier(parent), sql.Identifier(child)))


def _briefly(owner: psycopg.Connection, statement: sql.Composed, pause: Callable[[float], None] = time.sleep) -> None:
    """Run DDL that needs a lock for a moment, so that calls queue behind it for a bounded time only."""
    for attempt in range(1, LOCK_TRIES + 1):
        try:
            with owner.transaction():
                owner.execute("SELECT set_config('lock_timeout', %s, true)", (LOCK_TIMEOUT,))
                owner.execute(statement)
        except psycopg.errors.LockNotAvailable:
            if attempt == LOCK_TRIES:
                raise
            pause(PAUSE_S)
        else:
            return


def _partitions(owner: psycopg.Connection) -> list[str]:
    rows = owner.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass ORDER BY 1", (VECTORS,)
    ).fetchall()
    return [str(name) for (name,) in rows]


def _name(relation: str, model_id: int) -> str:
    return f"{relation}_hnsw_{model_id}"
