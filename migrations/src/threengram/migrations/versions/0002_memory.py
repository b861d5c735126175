"""Memories, facts, commitments, scopes: what is never destroyed by a write.

deploy: pre
"""

from alembic import op

from threengram.migrations.ddl import check_enum, isolate
from threengram.schema.enums import (
    ActorKind,
    CommitmentStatus,
    EdgeType,
    EventKind,
    MemoryStatus,
    MemoryType,
    RetrievalMode,
)

revision = "0002"
down_revision = "0001"

TABLES = (
    "memories", "memory_lifetimes", "memory_edges", "memory_events", "facts", "fact_lifetimes", "commitments",
    "scopes", "scope_mappings", "retrieval_policies", "agent_sessions",
)  # fmt: skip


def upgrade() -> None:
    """Create the domain's tables; a lifetime is a list of versions, closed by `recorded_to`, never rewritten."""
    op.execute(f"""
    CREATE TABLE memories (
        tenant_id uuid NOT NULL REFERENCES tenants (id),
        id uuid NOT NULL,
        memory_no integer NOT NULL,
        user_id uuid NOT NULL,
        memory_type text NOT NULL {check_enum("memory_type", MemoryType)},
        topic text NOT NULL,
        content text NOT NULL,
        content_chars integer NOT NULL,
        content_hash bytea NOT NULL,
        scope text NOT NULL,
        project text,
        tags text[] NOT NULL DEFAULT '{{}}',
        status text NOT NULL DEFAULT 'active' {check_enum("status", MemoryStatus)},
        valid_from timestamptz NOT NULL,
        valid_to timestamptz,
        recorded_at timestamptz NOT NULL,
        touched_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
        CONSTRAINT memories_validity CHECK (valid_to IS NULL OR valid_from <= valid_to)
    );
    CREATE UNIQUE INDEX memories_live_content ON memories
        (tenant_id, content_hash, memory_type, scope, project) NULLS NOT DISTINCT
        WHERE valid_to IS NULL AND status = 'active';
    CREATE UNIQUE INDEX memories_number ON memories (tenant_id, memory_no)
        INCLUDE (id, status, valid_to, memory_type, scope, project, recorded_at);
    CREATE INDEX memories_recorded ON memories (tenant_id, recorded_at DESC, id DESC);
    CREATE INDEX memories_scope ON memories (tenant_id, scope, recorded_at DESC);
    CREATE INDEX memories_project ON memories (tenant_id, project, recorded_at DESC) WHERE project IS NOT NULL;
    CREATE INDEX memories_type ON memories (tenant_id, memory_type, recorded_at DESC);

    CREATE TABLE memory_lifetimes (
        tenant_id uuid NOT NULL,
        memory_id uuid NOT NULL,
        version integer NOT NULL,
        valid_from timestamptz NOT NULL,
        valid_to timestamptz,
        status text NOT NULL {check_enum("status", MemoryStatus)},
        recorded_from timestamptz NOT NULL,
        recorded_to timestamptz,
        PRIMARY KEY (tenant_id, memory_id, version),
        FOREIGN KEY (tenant_id, memory_id) REFERENCES memories (tenant_id, id),
        CONSTRAINT memory_lifetimes_recorded CHECK (recorded_to IS NULL OR recorded_from <= recorded_to)
    );
    CREATE UNIQUE INDEX memory_lifetimes_current ON memory_lifetimes (tenant_id, memory_id) WHERE recorded_to IS NULL;

    CREATE TABLE memory_edges (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        from_id uuid NOT NULL,
        to_id uuid NOT NULL,
        edge_type text NOT NULL {check_enum("edge_type", EdgeType)},
        created_by text NOT NULL {check_enum("created_by", ActorKind)},
        recorded_at timestamptz NOT NULL,
        retracted_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, from_id) REFERENCES memories (tenant_id, id),
        FOREIGN KEY (tenant_id, to_id) REFERENCES memories (tenant_id, id),
        CONSTRAINT memory_edges_distinct CHECK (from_id <> to_id)
    );
    CREATE UNIQUE INDEX memory_edges_standing ON memory_edges (tenant_id, from_id, to_id, edge_type)
        WHERE retracted_at IS NULL;
    CREATE INDEX memory_edges_target ON memory_edges (tenant_id, to_id, edge_type);

    CREATE TABLE memory_events (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        memory_id uuid NOT NULL,
        event_kind text NOT NULL {check_enum("event_kind", EventKind)},
        actor_kind text NOT NULL {check_enum("actor_kind", ActorKind)},
        details jsonb NOT NULL DEFAULT '{{}}',
        session_run_id uuid,
        recorded_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, memory_id) REFERENCES memories (tenant_id, id)
    );
    CREATE INDEX memory_events_memory ON memory_events (tenant_id, memory_id, recorded_at);
    CREATE INDEX memory_events_session ON memory_events (tenant_id, session_run_id) WHERE session_run_id IS NOT NULL;

    CREATE TABLE facts (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        memory_id uuid NOT NULL,
        subject text NOT NULL,
        predicate text NOT NULL,
        value text NOT NULL,
        confidence real,
        status text NOT NULL DEFAULT 'active' {check_enum("status", MemoryStatus)},
        valid_from timestamptz NOT NULL,
        valid_to timestamptz,
        recorded_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, memory_id) REFERENCES memories (tenant_id, id),
        CONSTRAINT facts_validity CHECK (valid_to IS NULL OR valid_from <= valid_to)
    );
    CREATE INDEX facts_series ON facts (tenant_id, subject, predicate, valid_from);
    CREATE INDEX facts_recorded ON facts (tenant_id, recorded_at DESC, id);
    CREATE INDEX facts_memory ON facts (tenant_id, memory_id);

    CREATE TABLE fact_lifetimes (
        tenant_id uuid NOT NULL,
        fact_id uuid NOT NULL,
        version integer NOT NULL,
        valid_from timestamptz NOT NULL,
        valid_to timestamptz,
        status text NOT NULL {check_enum("status", MemoryStatus)},
        recorded_from timestamptz NOT NULL,
        recorded_to timestamptz,
        PRIMARY KEY (tenant_id, fact_id, version),
        FOREIGN KEY (tenant_id, fact_id) REFERENCES facts (tenant_id, id),
        CONSTRAINT fact_lifetimes_recorded CHECK (recorded_to IS NULL OR recorded_from <= recorded_to)
    );
    CREATE UNIQUE INDEX fact_lifetimes_current ON fact_lifetimes (tenant_id, fact_id) WHERE recorded_to IS NULL;

    CREATE TABLE commitments (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        memory_id uuid NOT NULL,
        status text NOT NULL DEFAULT 'open' {check_enum("status", CommitmentStatus)},
        owner text,
        due_at timestamptz,
        recurrence text,
        next_surfacing_at timestamptz,
        resolved_at timestamptz,
        recorded_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, memory_id),
        FOREIGN KEY (tenant_id, memory_id) REFERENCES memories (tenant_id, id)
    );
    CREATE INDEX commitments_due ON commitments (tenant_id, status, due_at);

    CREATE TABLE scopes (
        tenant_id uuid NOT NULL REFERENCES tenants (id),
        id uuid NOT NULL,
        name text NOT NULL,
        aliases text[] NOT NULL DEFAULT '{{}}',
        created_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, name)
    );
    CREATE TABLE scope_mappings (
        tenant_id uuid NOT NULL REFERENCES tenants (id),
        project text NOT NULL,
        scope text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, project)
    );
    CREATE TABLE retrieval_policies (
        tenant_id uuid PRIMARY KEY REFERENCES tenants (id),
        mode text NOT NULL {check_enum("mode", RetrievalMode)},
        scope text,
        updated_at timestamptz NOT NULL,
        CONSTRAINT retrieval_policies_scope CHECK ((mode = 'default') = (scope IS NOT NULL))
    );
    CREATE TABLE agent_sessions (
        tenant_id uuid NOT NULL REFERENCES tenants (id),
        id uuid NOT NULL,
        agent text NOT NULL,
        session_key text NOT NULL,
        project text,
        scope text,
        opened_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL,
        closed_at timestamptz,
        activation_epoch integer NOT NULL DEFAULT 1,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, agent, session_key)
    );
    """)
    op.execute("""
    CREATE FUNCTION guard_commitment_status() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF OLD.status IN ('resolved', 'expired') AND NEW.status NOT IN ('open', OLD.status) THEN
            RAISE EXCEPTION 'commitment_transition' USING ERRCODE = 'check_violation',
                CONSTRAINT = 'commitments_transition';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER commitments_transition BEFORE UPDATE OF status ON commitments
        FOR EACH ROW EXECUTE FUNCTION guard_commitment_status();
    """)
    for table in TABLES:
        isolate(table)
