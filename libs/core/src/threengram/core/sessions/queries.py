"""Statements on runs of agents."""

from threengram.core.db.statement import tenant_statement

WRITING = tenant_statement(
    "hold_sessions",
    "SELECT pg_advisory_xact_lock_shared(hashtextextended(%(tenant_id)s::text, 7))",
    keeps_plan=True,
)
"""Keeps the runs as they are until the commit, but for the leases that writes extend. The first lock of a write."""

CHANGING = tenant_statement("lock_sessions", "SELECT pg_advisory_xact_lock(hashtextextended(%(tenant_id)s::text, 7))")
"""Lets one change of the runs in at a time, and no attributed write meanwhile."""

ATTRIBUTE_NAMED = tenant_statement(
    "attribute_to_named_session",
    """
    WITH found AS (
        SELECT id, closed_at FROM agent_sessions WHERE tenant_id = %(tenant_id)s AND id = %(session_run_id)s
    ), seen AS (
        UPDATE agent_sessions
        SET last_seen_at = %(now)s,
            activation_epoch = activation_epoch + CASE WHEN last_seen_at <= %(lease_start)s THEN 1 ELSE 0 END
        WHERE tenant_id = %(tenant_id)s AND id = %(session_run_id)s AND closed_at IS NULL
          AND last_seen_at < %(seen_before)s
    )
    SELECT id, set_config('app.session_run_id', CASE WHEN closed_at IS NULL THEN id::text ELSE '' END, true)
    FROM found
    """,
)
ATTRIBUTE_ONLY_ONE = tenant_statement(
    "attribute_to_only_session",
    """
    WITH leased AS (
        SELECT id FROM agent_sessions
        WHERE tenant_id = %(tenant_id)s AND closed_at IS NULL AND last_seen_at > %(lease_start)s
          AND project IS NOT DISTINCT FROM coalesce(
              %(project)s,
              (SELECT m.project FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.id = %(memory_id)s))
        LIMIT 2
    ), one AS (
        SELECT min(id::text)::uuid AS id FROM leased HAVING count(*) = 1
    ), seen AS (
        UPDATE agent_sessions s SET last_seen_at = %(now)s
        FROM one
        WHERE s.tenant_id = %(tenant_id)s AND s.id = one.id AND s.last_seen_at < %(seen_before)s
    )
    SELECT id, set_config('app.session_run_id', id::text, true) FROM one
    """,
    keeps_plan=True,
)
RUN = tenant_statement(
    "agent_session",
    """
    SELECT id, project, scope, opened_at, last_seen_at, closed_at, activation_epoch FROM agent_sessions
    WHERE tenant_id = %(tenant_id)s AND agent = %(agent)s AND session_key = %(session_key)s
    """,
)
INSERT_RUN = tenant_statement(
    "insert_agent_session",
    """
    INSERT INTO agent_sessions (tenant_id, id, agent, session_key, project, scope, opened_at, last_seen_at)
    VALUES (%(tenant_id)s, %(id)s, %(agent)s, %(session_key)s, %(project)s, %(scope)s, %(now)s, %(now)s)
    """,
)
UPDATE_RUN = tenant_statement(
    "update_agent_session",
    """
    UPDATE agent_sessions
    SET project = %(project)s, scope = %(scope)s, last_seen_at = %(last_seen_at)s, closed_at = %(closed_at)s,
        activation_epoch = %(activation_epoch)s
    WHERE tenant_id = %(tenant_id)s AND id = %(id)s
    """,
)
EVENTS_OF_RUN = tenant_statement(
    "agent_session_events",
    """
    SELECT e.id, e.memory_id, e.event_kind, e.actor_kind, e.session_run_id, e.recorded_at
    FROM agent_sessions s
    LEFT JOIN LATERAL (
        SELECT * FROM memory_events e
        WHERE e.tenant_id = %(tenant_id)s AND e.session_run_id = s.id
          AND (%(after_id)s::uuid IS NULL OR (e.recorded_at, e.id) > (%(after_recorded_at)s, %(after_id)s))
        ORDER BY e.recorded_at, e.id LIMIT %(fetch)s
    ) e ON true
    WHERE s.tenant_id = %(tenant_id)s AND s.id = %(session_run_id)s
    ORDER BY e.recorded_at, e.id
    """,
)
