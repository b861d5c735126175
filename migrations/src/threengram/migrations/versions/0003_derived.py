"""What can be rebuilt from memories: postings, vectors, and the rows that say what is still to do.

deploy: pre
"""

from alembic import op

from threengram.migrations.ddl import check_enum, isolate
from threengram.schema.enums import JobState, ModelState

revision = "0003"
down_revision = "0002"

EMBEDDING_PARTITIONS = 16


def upgrade() -> None:
    """Create the derived tables; vectors are partitioned by tenant, and a partition is never granted by itself."""
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute(f"""
    CREATE TABLE memory_terms (
        tenant_id uuid NOT NULL,
        term bigint NOT NULL,
        memory_no integer NOT NULL,
        weight smallint NOT NULL,
        PRIMARY KEY (tenant_id, term, memory_no) INCLUDE (weight)
    );
    CREATE TABLE term_stats (
        tenant_id uuid NOT NULL,
        term bigint NOT NULL,
        df integer NOT NULL,
        PRIMARY KEY (tenant_id, term)
    ) WITH (fillfactor = 80);
    CREATE TABLE embedding_models (
        id smallint PRIMARY KEY,
        name text NOT NULL UNIQUE,
        dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
        state text NOT NULL {check_enum("state", ModelState)},
        calibration jsonb,
        created_at timestamptz NOT NULL
    );
    CREATE UNIQUE INDEX embedding_models_active ON embedding_models (state) WHERE state = 'active';
    CREATE TABLE memory_embeddings (
        tenant_id uuid NOT NULL,
        memory_id uuid NOT NULL,
        model_id smallint NOT NULL REFERENCES embedding_models (id),
        window_no smallint NOT NULL,
        window_count smallint NOT NULL,
        omitted_windows smallint NOT NULL DEFAULT 0,
        embedding halfvec NOT NULL,
        PRIMARY KEY (tenant_id, memory_id, model_id, window_no),
        FOREIGN KEY (tenant_id, memory_id) REFERENCES memories (tenant_id, id)
    ) PARTITION BY HASH (tenant_id);
    CREATE TABLE embedding_jobs (
        tenant_id uuid NOT NULL,
        memory_id uuid NOT NULL,
        model_id smallint NOT NULL REFERENCES embedding_models (id),
        attempts smallint NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL,
        lease_until timestamptz,
        lease_token uuid,
        traceparent text,
        error_class text,
        enqueued_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, memory_id, model_id),
        FOREIGN KEY (tenant_id, memory_id) REFERENCES memories (tenant_id, id)
    );
    CREATE INDEX embedding_jobs_due ON embedding_jobs (model_id, next_attempt_at);
    CREATE TABLE job_runs (
        tenant_id uuid REFERENCES tenants (id),
        id uuid PRIMARY KEY,
        kind text NOT NULL,
        queue text NOT NULL,
        state text NOT NULL {check_enum("state", JobState)},
        attempts smallint NOT NULL DEFAULT 0,
        scheduled_at timestamptz NOT NULL,
        started_at timestamptz,
        heartbeat_at timestamptz,
        lease_until timestamptz,
        finished_at timestamptz,
        outcome text,
        counts jsonb NOT NULL DEFAULT '{{}}',
        error_class text,
        traceparent text
    );
    CREATE INDEX job_runs_waiting ON job_runs (queue, scheduled_at) WHERE state IN ('queued', 'running');
    CREATE INDEX job_runs_tenant ON job_runs (tenant_id, kind, scheduled_at DESC);
    """)
    for number in range(EMBEDDING_PARTITIONS):
        op.execute(
            f"CREATE TABLE memory_embeddings_{number:02d} PARTITION OF memory_embeddings"
            f" FOR VALUES WITH (MODULUS {EMBEDDING_PARTITIONS}, REMAINDER {number})"
        )
    for table in ("memory_terms", "term_stats", "memory_embeddings", "embedding_jobs", "job_runs"):
        isolate(table)
