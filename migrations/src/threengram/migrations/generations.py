"""Generations of embeddings: register a model with its calibration and build its index, as the owner."""

import json
from datetime import UTC, datetime
from importlib import resources
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from threengram.migrations.run import MIGRATION_LOCK

INDEX_PARAMETERS = sql.SQL("WITH (m = 16, ef_construction = 64)")


def ensure_model(owner_url: str, *, name: str, dimensions: int) -> int:
    """The id of the model, registered as active when it is the first one and its index built on every partition.

    A further model is a new generation: it has to be filled before it can serve, so this refuses to replace an active
    one. The calibration is the one that this release ships for the model; without one the column is left alone.
    """
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("SELECT pg_advisory_lock(%s)", (MIGRATION_LOCK,))
        active = owner.execute("SELECT id, name FROM embedding_models WHERE state = 'active'").fetchone()
        if active is not None and active[1] != name:
            raise ValueError(f"the active embedding model is {active[1]}; a change of model is a migration of its own")
        if active is None:
            active = owner.execute(
                "INSERT INTO embedding_models (id, name, dimensions, state, created_at)"
                " SELECT coalesce(max(id), 0) + 1, %s, %s, 'active', %s FROM embedding_models RETURNING id, name",
                (name, dimensions, datetime.now(UTC)),
            ).fetchone()
            assert active is not None
        model_id = int(active[0])
        if (calibration := shipped_calibration(name)) is not None:
            owner.execute(
                "UPDATE embedding_models SET calibration = %(calibration)s"
                " WHERE id = %(id)s AND calibration IS DISTINCT FROM %(calibration)s",
                {"id": model_id, "calibration": Jsonb(calibration)},
            )
        build_index(owner, model_id=model_id, dimensions=dimensions)
        return model_id


def shipped_calibration(name: str) -> dict[str, Any] | None:
    """What `confident` of a search weighs with this model, as fitted by the evaluation; None for an unknown model."""
    path = resources.files("threengram.migrations") / "calibrations" / f"{name}.json"
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def build_index(owner: psycopg.Connection, *, model_id: int, dimensions: int) -> None:
    """One HNSW index over the vectors of one model, built concurrently per partition and attached to its parent.

    The expression casts to the generation's width and the predicate names the model, so that queries must do the same
    with literals for the planner to see the index.
    """
    parent = f"memory_embeddings_hnsw_{model_id}"
    on = sql.SQL("USING hnsw ((embedding::halfvec({})) halfvec_cosine_ops) {} WHERE model_id = {}").format(
        sql.Literal(dimensions), INDEX_PARAMETERS, sql.Literal(model_id)
    )
    owner.execute(
        sql.SQL("CREATE INDEX IF NOT EXISTS {} ON ONLY memory_embeddings {}").format(sql.Identifier(parent), on)
    )
    partitions = owner.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'memory_embeddings'::regclass ORDER BY 1"
    ).fetchall()
    for (partition,) in partitions:
        child = f"{partition}_hnsw_{model_id}"
        attached = owner.execute(
            "SELECT i.indisvalid, h.inhparent IS NOT NULL FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid"
            " LEFT JOIN pg_inherits h ON h.inhrelid = c.oid WHERE c.relname = %s",
            (child,),
        ).fetchone()
        if attached == (True, True):
            continue
        if attached is not None and not attached[0]:
            owner.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(child)))
        owner.execute(
            sql.SQL("CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON {} {}").format(
                sql.Identifier(child), sql.Identifier(partition), on
            )
        )
        owner.execute(
            sql.SQL("ALTER INDEX {} ATTACH PARTITION {}").format(sql.Identifier(parent), sql.Identifier(child))
        )
