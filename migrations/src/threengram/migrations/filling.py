"""The rows that a generation's fill consists of, and their end: tenant by tenant, in bounded transactions.

Both ways may be interrupted anywhere and begun again: what is there already is left as it is.
"""

from datetime import datetime
from uuid import UUID

import psycopg

from threengram.migrations.tenants import bound, tenants

BATCH_ROWS = 2_000

_ENQUEUE = """
WITH batch AS MATERIALIZED (
    SELECT m.id, m.memory_no FROM memories m
    WHERE m.tenant_id = %(tenant_id)s AND m.memory_no > %(after)s
    ORDER BY m.memory_no LIMIT %(limit)s
), put AS (
    INSERT INTO embedding_jobs (tenant_id, memory_id, model_id, next_attempt_at, enqueued_at)
    SELECT %(tenant_id)s, b.id, %(model_id)s, %(now)s, %(now)s FROM batch b
    WHERE NOT EXISTS (
        SELECT FROM memory_embeddings v
        WHERE v.tenant_id = %(tenant_id)s AND v.memory_id = b.id AND v.model_id = %(model_id)s
        HAVING count(*) = max(v.window_count)
    )
    ON CONFLICT DO NOTHING RETURNING 1
)
SELECT count(*), max(memory_no), (SELECT count(*) FROM put) FROM batch
"""
_DELETE_JOBS = """
DELETE FROM embedding_jobs j USING (
    SELECT d.tenant_id, d.memory_id, d.model_id FROM embedding_jobs d
    WHERE d.tenant_id = %(tenant_id)s AND d.model_id = %(model_id)s LIMIT %(limit)s
) gone
WHERE j.tenant_id = gone.tenant_id AND j.memory_id = gone.memory_id AND j.model_id = gone.model_id
"""
_DELETE_VECTORS = """
DELETE FROM memory_embeddings e USING (
    SELECT d.tenant_id, d.memory_id, d.model_id, d.window_no FROM memory_embeddings d
    WHERE d.tenant_id = %(tenant_id)s AND d.model_id = %(model_id)s LIMIT %(limit)s
) gone
WHERE e.tenant_id = gone.tenant_id AND e.memory_id = gone.memory_id AND e.model_id = gone.model_id
  AND e.window_no = gone.window_no
"""


def enqueue_missing(owner: psycopg.Connection, *, model_id: int, now: datetime) -> int:
    """A job row for every memory of every tenant that has no complete set of vectors by the model; how many are new.

    Call it when whoever writes knows of the model, so that what is not seen here has got its row from its writer.
    """
    return sum(_enqueue_tenant(owner, tenant_id, model_id, now) for tenant_id in tenants(owner))


def delete_everything(owner: psycopg.Connection, *, model_id: int) -> int:
    """Delete the model's job rows and vectors of every tenant; how many vectors there were."""
    deleted = 0
    for tenant_id in tenants(owner):
        _repeated(owner, tenant_id, model_id, _DELETE_JOBS)
        deleted += _repeated(owner, tenant_id, model_id, _DELETE_VECTORS)
    return deleted


def _enqueue_tenant(owner: psycopg.Connection, tenant_id: UUID, model_id: int, now: datetime) -> int:
    enqueued, after, seen = 0, 0, BATCH_ROWS
    while seen == BATCH_ROWS:
        parameters = {
            "tenant_id": tenant_id, "model_id": model_id, "after": after, "limit": BATCH_ROWS, "now": now,
        }  # fmt: skip
        with bound(owner, tenant_id):
            row = owner.execute(_ENQUEUE, parameters).fetchone()
        assert row is not None
        seen, after = int(row[0]), row[1]
        enqueued += int(row[2])
    return enqueued


def _repeated(owner: psycopg.Connection, tenant_id: UUID, model_id: int, statement: str) -> int:
    parameters = {"tenant_id": tenant_id, "model_id": model_id, "limit": BATCH_ROWS}
    total, last = 0, BATCH_ROWS
    while last == BATCH_ROWS:
        with bound(owner, tenant_id):
            last = owner.execute(statement.encode(), parameters).rowcount
        total += last
    return total
