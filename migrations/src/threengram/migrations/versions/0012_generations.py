"""Embedding model generations: building, progress, switching.

deploy: pre
"""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Let one statement switch the active model, and a generation say how far its fill has come."""
    op.execute("""
    ALTER TABLE embedding_models
        ADD COLUMN is_metered boolean NOT NULL DEFAULT false,
        ADD COLUMN fill_began_at timestamptz,
        ADD COLUMN enqueued_at timestamptz,
        ADD COLUMN enqueued_rows bigint NOT NULL DEFAULT 0,
        ADD COLUMN activated_at timestamptz;
    -- What serves already was there with the first memory.
    UPDATE embedding_models
    SET fill_began_at = created_at, enqueued_at = created_at, activated_at = created_at WHERE state = 'active';

    -- A unique index is checked row by row; this one at the end of the statement, when the two have changed places.
    DROP INDEX embedding_models_active;
    ALTER TABLE embedding_models ADD CONSTRAINT embedding_models_active
        EXCLUDE USING btree (state WITH =) WHERE (state = 'active') DEFERRABLE INITIALLY IMMEDIATE;

    -- What of a tenant waits for one model, however much waits for another.
    CREATE INDEX embedding_jobs_tenant ON embedding_jobs (tenant_id, model_id);
    """)
