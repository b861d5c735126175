"""Consolidation: how far each tenant has been examined, what waits for its vectors, why a pair was proposed.

deploy: pre
"""

from alembic import op

from threengram.migrations.ddl import check_enum, isolate
from threengram.schema.enums import ProposalRule

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Create both tables, give proposals of edges their rule, and list the tenants with something to examine."""
    op.execute(f"""
    ALTER TABLE consolidation_proposals
        ADD COLUMN proposal_rule text {check_enum("proposal_rule", ProposalRule)},
        ADD COLUMN confidence real;
    """)
    op.execute("""
    CREATE TABLE consolidation_progress (
        tenant_id uuid PRIMARY KEY REFERENCES tenants (id),
        is_enabled boolean NOT NULL DEFAULT true,
        examined_no integer NOT NULL DEFAULT 0,
        changed_at timestamptz NOT NULL
    );
    CREATE TABLE consolidation_waiting (
        tenant_id uuid NOT NULL,
        memory_id uuid NOT NULL,
        PRIMARY KEY (tenant_id, memory_id),
        FOREIGN KEY (tenant_id, memory_id) REFERENCES memories (tenant_id, id)
    );
    CREATE FUNCTION sweep_tenants_to_consolidate(p_after uuid, p_limit integer)
    RETURNS TABLE (tenant_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT t.id
        FROM public.tenants t
        JOIN public.tenant_counters c ON c.tenant_id = t.id
        LEFT JOIN public.consolidation_progress p ON p.tenant_id = t.id
        WHERE t.status = 'active' AND (p_after IS NULL OR t.id > p_after) AND coalesce(p.is_enabled, true)
          AND (c.memory_count > coalesce(p.examined_no, 0) OR EXISTS (
              SELECT FROM public.consolidation_waiting w
              WHERE w.tenant_id = t.id AND NOT EXISTS (
                  SELECT FROM public.embedding_jobs j JOIN public.embedding_models g ON g.id = j.model_id
                  WHERE j.tenant_id = t.id AND j.memory_id = w.memory_id AND g.state = 'active')))
        ORDER BY t.id LIMIT p_limit
    $$;
    """)
    for table in ("consolidation_progress", "consolidation_waiting"):
        isolate(table)
