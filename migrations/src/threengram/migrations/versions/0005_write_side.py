"""What revising, resolving and time travel rest on: one chain of successors, occurrences, strict versions.

deploy: pre
"""

from alembic import op

from threengram.migrations.ddl import check_enum, isolate
from threengram.schema.enums import CommitmentStatus

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns, the table of occurrences, and the two guards on supersession."""
    _order_versions()
    _keep_one_chain()
    _schedule_commitments()
    isolate("commitment_occurrences")


def _order_versions() -> None:
    """Versions get a span on record; a fact says when it last changed, so that its series knows its latest write."""
    op.execute("""
    ALTER TABLE memory_lifetimes DROP CONSTRAINT memory_lifetimes_recorded,
        ADD CONSTRAINT memory_lifetimes_recorded CHECK (recorded_to IS NULL OR recorded_from < recorded_to);
    ALTER TABLE fact_lifetimes DROP CONSTRAINT fact_lifetimes_recorded,
        ADD CONSTRAINT fact_lifetimes_recorded CHECK (recorded_to IS NULL OR recorded_from < recorded_to);

    ALTER TABLE facts ADD COLUMN changed_at timestamptz DEFAULT now();
    -- The owner passes through row security for this one statement; the tables are locked until the migration commits.
    ALTER TABLE facts NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE fact_lifetimes NO FORCE ROW LEVEL SECURITY;
    UPDATE facts f SET changed_at = l.recorded_from
    FROM fact_lifetimes l WHERE l.tenant_id = f.tenant_id AND l.fact_id = f.id AND l.recorded_to IS NULL;
    ALTER TABLE fact_lifetimes FORCE ROW LEVEL SECURITY;
    ALTER TABLE facts FORCE ROW LEVEL SECURITY;
    ALTER TABLE facts ALTER COLUMN changed_at SET NOT NULL;
    CREATE INDEX facts_changed ON facts (tenant_id, subject, predicate, changed_at DESC);
    """)


def _keep_one_chain() -> None:
    """A memory has one successor at most, and only the head of a chain can succeed: so no chain closes on itself."""
    op.execute("""
    CREATE UNIQUE INDEX memory_edges_successor ON memory_edges (tenant_id, to_id)
        WHERE edge_type IN ('supersedes', 'updates') AND retracted_at IS NULL;
    CREATE FUNCTION guard_supersession() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        PERFORM FROM public.memories m
            WHERE m.tenant_id = NEW.tenant_id AND m.id = NEW.from_id FOR NO KEY UPDATE;
        IF EXISTS (SELECT FROM public.memory_edges e
                   WHERE e.tenant_id = NEW.tenant_id AND e.to_id = NEW.from_id
                     AND e.edge_type IN ('supersedes', 'updates') AND e.retracted_at IS NULL) THEN
            RAISE EXCEPTION 'supersession_head' USING ERRCODE = 'check_violation', CONSTRAINT = 'memory_edges_head';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER memory_edges_head BEFORE INSERT ON memory_edges
        FOR EACH ROW WHEN (NEW.edge_type IN ('supersedes', 'updates')) EXECUTE FUNCTION guard_supersession();
    """)


def _schedule_commitments() -> None:
    """A recurring commitment is one row that moves from occurrence to occurrence; those behind it are kept."""
    op.execute("""
    ALTER TABLE commitments ADD COLUMN recurs_from timestamptz, ADD COLUMN surfaced_at timestamptz;
    ALTER TABLE commitments NO FORCE ROW LEVEL SECURITY;
    UPDATE commitments SET recurs_from = due_at WHERE recurrence IS NOT NULL;
    UPDATE commitments SET next_surfacing_at = due_at WHERE next_surfacing_at IS NULL;
    ALTER TABLE commitments FORCE ROW LEVEL SECURITY;
    ALTER TABLE commitments ADD CONSTRAINT commitments_recurrence
        CHECK (recurrence IS NULL OR due_at IS NOT NULL);
    """)
    op.execute(f"""
    CREATE TABLE commitment_occurrences (
        tenant_id uuid NOT NULL,
        commitment_id uuid NOT NULL,
        occurrence_no integer NOT NULL,
        due_at timestamptz NOT NULL,
        status text NOT NULL {check_enum("status", CommitmentStatus)},
        next_due_at timestamptz NOT NULL,
        recorded_at timestamptz NOT NULL,
        reopened_at timestamptz,
        PRIMARY KEY (tenant_id, commitment_id, occurrence_no),
        FOREIGN KEY (tenant_id, commitment_id) REFERENCES commitments (tenant_id, id)
    );
    """)
