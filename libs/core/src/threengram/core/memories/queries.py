"""Statements on memories, their lifetimes, events and postings."""

# ruff: noqa: S608 - the parts put in are LiteralStrings of other modules of statements; mypy holds them to that

from threengram.core.db.statement import tenant_statement
from threengram.core.lifetimes.queries import ATTRIBUTED
from threengram.core.scopes.queries import CANONICAL

APPEND_MEMORY = tenant_statement(
    "append_memory",
    """
    WITH counted AS (
        UPDATE tenant_counters SET memory_count = memory_count + 1
        WHERE tenant_id = %(tenant_id)s
        RETURNING memory_count
    ), written AS (
        INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars,
                              content_hash, scope, project, tags, valid_from, recorded_at, touched_at)
        SELECT %(tenant_id)s, %(memory_id)s, memory_count, %(user_id)s, %(memory_type)s, %(topic)s, %(content)s,
               %(content_chars)s, %(content_hash)s, """
    + CANONICAL
    + """, %(project)s, %(tags)s, %(now)s, %(now)s, %(now)s
        FROM counted
        RETURNING id, valid_from, status, scope, recorded_at
    ), lived AS (
        INSERT INTO memory_lifetimes (tenant_id, memory_id, version, valid_from, status, recorded_from)
        SELECT %(tenant_id)s, id, 1, valid_from, status, recorded_at FROM written
    ), noted AS (
        INSERT INTO memory_events (tenant_id, id, memory_id, event_kind, actor_kind, session_run_id, recorded_at)
        SELECT %(tenant_id)s, %(event_id)s, id, 'create', %(actor)s, """
    + ATTRIBUTED
    + """, recorded_at FROM written
    )
    SELECT scope FROM written
    """,
    keeps_plan=True,
)
POST_TERMS = tenant_statement(
    "post_terms",
    """
    WITH terms AS (
        SELECT * FROM unnest(%(terms)s::bigint[], %(weights)s::smallint[]) AS t (term, weight)
    ), posted AS (
        INSERT INTO memory_terms (tenant_id, term, memory_no, weight)
        SELECT %(tenant_id)s, t.term, c.memory_count, t.weight
        FROM terms t, tenant_counters c
        WHERE c.tenant_id = %(tenant_id)s
    )
    INSERT INTO term_stats AS s (tenant_id, term, df)
    SELECT %(tenant_id)s, term, 1 FROM terms
    ON CONFLICT (tenant_id, term) DO UPDATE SET df = s.df + 1
    """,
    keeps_plan=True,
)
LIVE_DUPLICATE = tenant_statement(
    "live_duplicate",
    """
    SELECT id FROM memories
    WHERE tenant_id = %(tenant_id)s AND content_hash = %(content_hash)s AND memory_type = %(memory_type)s
      AND scope = """
    + CANONICAL
    + """ AND project IS NOT DISTINCT FROM %(project)s
      AND valid_to IS NULL AND status = 'active'
    """,
)
MEMORIES_BY_ID = tenant_statement(
    "memories_by_id",
    """
    SELECT m.id, m.memory_type, m.topic, left(m.content, %(max_chars)s) AS content, m.content_chars, m.scope,
           m.project, m.tags, m.status, m.valid_from, m.valid_to, m.recorded_at, c.status AS commitment_status,
           e.from_id AS superseded_by, e.edge_type
    FROM memories m
    LEFT JOIN commitments c ON c.tenant_id = m.tenant_id AND c.memory_id = m.id
    LEFT JOIN LATERAL (
        SELECT from_id, edge_type FROM memory_edges
        WHERE tenant_id = %(tenant_id)s AND to_id = m.id AND edge_type IN ('supersedes', 'updates')
          AND retracted_at IS NULL AND m.valid_to IS NOT NULL
        ORDER BY recorded_at DESC, id DESC LIMIT 1
    ) e ON true
    WHERE m.tenant_id = %(tenant_id)s AND m.id = ANY(%(ids)s)
    ORDER BY m.recorded_at DESC, m.id DESC
    """,
)
MEMORY_RESOURCE = tenant_statement(
    "memory_resource",
    """
    SELECT id, memory_type, topic, content, content_chars, project, recorded_at
    FROM memories WHERE tenant_id = %(tenant_id)s AND id = %(memory_id)s
    """,
)
