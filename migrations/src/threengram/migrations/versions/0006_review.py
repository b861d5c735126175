"""What people review and look back on: proposals of both kinds, runs of agents, lists of what was put away.

deploy: pre
"""

from alembic import op

from threengram.migrations.ddl import check_enum, isolate
from threengram.schema.enums import (
    REMEMBERED_REJECTIONS,
    EdgeType,
    EventKind,
    MemoryType,
    ProposalStatus,
    RejectionReason,
)

revision = "0006"
down_revision = "0005"

_REMEMBERED = ", ".join(repr(str(reason)) for reason in REMEMBERED_REJECTIONS)
STANDING = f"status <> 'rejected' OR reason IN ({_REMEMBERED})"
"""Open, applied, or rejected by a person: nothing of the same content is proposed beside or after it."""


def upgrade() -> None:
    """Create the two tables of proposals, widen the kinds of events, and add the indexes of sessions and lists."""
    _keep_proposals()
    op.execute(f"""
    ALTER TABLE memory_events DROP CONSTRAINT memory_events_event_kind_check,
        ADD CONSTRAINT memory_events_event_kind_check {check_enum("event_kind", EventKind)};
    DROP INDEX memory_events_session;
    CREATE INDEX memory_events_session ON memory_events (tenant_id, session_run_id, recorded_at, id)
        WHERE session_run_id IS NOT NULL;
    CREATE INDEX agent_sessions_open ON agent_sessions (tenant_id, last_seen_at) WHERE closed_at IS NULL;
    CREATE INDEX memories_archived ON memories (tenant_id, recorded_at DESC, id DESC) WHERE status = 'archived';
    CREATE INDEX memories_closed ON memories (tenant_id, recorded_at DESC, id DESC) WHERE valid_to IS NOT NULL;
    """)
    for table in ("consolidation_proposals", "fact_proposals"):
        isolate(table)


def _keep_proposals() -> None:
    """One row per pair and per claim; `reason` stands with every rejection and with nothing else."""
    decided = f"""
        status text NOT NULL DEFAULT 'proposed' {check_enum("status", ProposalStatus)},
        reason text {check_enum("reason", RejectionReason)},
        decided_at timestamptz,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        CHECK ((status = 'rejected') = (reason IS NOT NULL)),
        CHECK ((status = 'proposed') = (decided_at IS NULL))"""
    op.execute(f"""
    CREATE TABLE consolidation_proposals (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        from_id uuid NOT NULL,
        to_id uuid NOT NULL,
        edge_type text NOT NULL {check_enum("edge_type", EdgeType)},
        memory_type text NOT NULL {check_enum("memory_type", MemoryType)},
        similarity real NOT NULL,
        rationale text,
        edge_id uuid,
        commitment_status text,
        {decided},
        FOREIGN KEY (tenant_id, from_id) REFERENCES memories (tenant_id, id),
        FOREIGN KEY (tenant_id, to_id) REFERENCES memories (tenant_id, id),
        FOREIGN KEY (tenant_id, edge_id) REFERENCES memory_edges (tenant_id, id),
        CONSTRAINT consolidation_proposals_distinct CHECK (from_id <> to_id)
    );
    CREATE UNIQUE INDEX consolidation_proposals_pair ON consolidation_proposals
        (tenant_id, least(from_id, to_id), greatest(from_id, to_id)) WHERE {STANDING};
    CREATE INDEX consolidation_proposals_listed ON consolidation_proposals
        (tenant_id, status, created_at DESC, id DESC);
    CREATE TABLE fact_proposals (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        memory_id uuid NOT NULL,
        subject text NOT NULL,
        predicate text NOT NULL,
        value text NOT NULL,
        confidence real,
        valid_from timestamptz,
        valid_to timestamptz,
        memory_type text NOT NULL {check_enum("memory_type", MemoryType)},
        rationale text,
        fact_id uuid,
        {decided},
        FOREIGN KEY (tenant_id, memory_id) REFERENCES memories (tenant_id, id),
        FOREIGN KEY (tenant_id, fact_id) REFERENCES facts (tenant_id, id),
        CONSTRAINT fact_proposals_validity
            CHECK (valid_to IS NULL OR (valid_from IS NOT NULL AND valid_from <= valid_to))
    );
    CREATE UNIQUE INDEX fact_proposals_claim ON fact_proposals
        (tenant_id, memory_id, md5(subject || E'\\x1f' || predicate || E'\\x1f' || value)) WHERE {STANDING};
    CREATE INDEX fact_proposals_listed ON fact_proposals (tenant_id, status, created_at DESC, id DESC);
    """)
