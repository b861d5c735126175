"""Statements on the lifetime and the history of one memory."""

# ruff: noqa: S608 - the only part put in is a LiteralString of this module; mypy holds it to that

from typing import LiteralString

from threengram.core.db.statement import tenant_statement

ATTRIBUTED: LiteralString = "NULLIF(current_setting('app.session_run_id', true), '')::uuid"
"""An SQL expression: the run of an agent that the transaction is attributed to (`sessions.attribution`), or NULL."""

LOCK_MEMORY = tenant_statement(
    "lock_memory",
    "SELECT id FROM memories WHERE tenant_id = %(tenant_id)s AND id = %(memory_id)s FOR NO KEY UPDATE",
)
STANDING = tenant_statement(
    "memory_standing",
    """
    SELECT m.memory_type, m.scope, m.project, m.tags, m.status, m.valid_from, m.valid_to, l.recorded_from,
           (SELECT e.from_id FROM memory_edges e
            WHERE e.tenant_id = %(tenant_id)s AND e.to_id = m.id AND e.edge_type IN ('supersedes', 'updates')
              AND e.retracted_at IS NULL) AS successor_id
    FROM memories m
    JOIN memory_lifetimes l ON l.tenant_id = %(tenant_id)s AND l.memory_id = m.id AND l.recorded_to IS NULL
    WHERE m.tenant_id = %(tenant_id)s AND m.id = %(memory_id)s
    """,
)
NEXT_VERSION = tenant_statement(
    "next_memory_version",
    """
    WITH changed AS (
        UPDATE memories SET status = %(status)s, valid_to = %(valid_to)s, touched_at = %(at)s
        WHERE tenant_id = %(tenant_id)s AND id = %(memory_id)s
        RETURNING id, valid_from, valid_to, status
    ), closed AS (
        UPDATE memory_lifetimes SET recorded_to = %(at)s
        WHERE tenant_id = %(tenant_id)s AND memory_id = %(memory_id)s AND recorded_to IS NULL
        RETURNING memory_id, version
    )
    INSERT INTO memory_lifetimes (tenant_id, memory_id, version, valid_from, valid_to, status, recorded_from)
    SELECT %(tenant_id)s, m.id, l.version + 1, m.valid_from, m.valid_to, m.status, %(at)s
    FROM changed m JOIN closed l ON l.memory_id = m.id
    """,
)
TOUCH = tenant_statement(
    "touch_memory", "UPDATE memories SET touched_at = %(at)s WHERE tenant_id = %(tenant_id)s AND id = %(memory_id)s"
)
APPEND_EVENT = tenant_statement(
    "append_event",
    """
    INSERT INTO memory_events (tenant_id, id, memory_id, event_kind, actor_kind, details, session_run_id, recorded_at)
    VALUES (%(tenant_id)s, %(event_id)s, %(memory_id)s, %(event_kind)s, %(actor)s, %(details)s, """
    + ATTRIBUTED
    + """, %(at)s)
    """,
)
LIVE_TWIN = tenant_statement(
    "live_twin",
    """
    SELECT t.id FROM memories m
    JOIN memories t ON t.tenant_id = %(tenant_id)s AND t.content_hash = m.content_hash
        AND t.memory_type = m.memory_type AND t.scope = m.scope AND t.project IS NOT DISTINCT FROM m.project
    WHERE m.tenant_id = %(tenant_id)s AND m.id = %(memory_id)s AND t.id <> m.id
      AND t.valid_to IS NULL AND t.status = 'active'
    """,
)
INSERT_EDGE = tenant_statement(
    "insert_edge",
    """
    INSERT INTO memory_edges (tenant_id, id, from_id, to_id, edge_type, created_by, recorded_at)
    VALUES (%(tenant_id)s, %(edge_id)s, %(from_id)s, %(to_id)s, %(edge_type)s, %(actor)s, %(at)s)
    """,
)
RETRACT_EDGE = tenant_statement(
    "retract_edge",
    "UPDATE memory_edges SET retracted_at = %(at)s WHERE tenant_id = %(tenant_id)s AND id = %(edge_id)s",
)
LOCK_MEMORIES = tenant_statement(
    "lock_memories",
    """
    SELECT id FROM memories WHERE tenant_id = %(tenant_id)s AND id = ANY(%(memory_ids)s::uuid[])
    ORDER BY id FOR NO KEY UPDATE
    """,
)
