"""Statements behind lists, facets and histories."""

# ruff: noqa: S608 - every part is a LiteralString of this module or of `scopes`; mypy holds them to it

from typing import LiteralString

from threengram.core.db.statement import Statement, tenant_statement
from threengram.core.scopes.queries import CANONICAL
from threengram.schema.browse import ListingStatus

_IS_SUPERSEDED: LiteralString = """(
    SELECT true FROM memory_edges e WHERE e.tenant_id = %(tenant_id)s AND e.to_id = m.id
      AND e.edge_type IN ('supersedes', 'updates') AND e.retracted_at IS NULL LIMIT 1) IS NOT NULL"""
# With LIMIT a subquery stays one probe of an index for each row that is shown; EXISTS may become a join with all edges.
STATE: LiteralString = (
    "CASE WHEN m.valid_to IS NOT NULL THEN CASE WHEN "
    + _IS_SUPERSEDED
    + " THEN 'superseded' ELSE 'historical' END WHEN m.status = 'archived' THEN 'archived' ELSE 'current' END"
)
"""An SQL expression: the lifecycle state of memory `m`."""

_CONDITIONS: dict[ListingStatus, LiteralString] = {
    ListingStatus.ACTIVE: " AND m.status = 'active' AND m.valid_to IS NULL",
    ListingStatus.ARCHIVED: " AND m.status = 'archived'",
    ListingStatus.SUPERSEDED: " AND m.valid_to IS NOT NULL AND " + _IS_SUPERSEDED,
    ListingStatus.ALL: "",
}


def listed(
    status: ListingStatus,
    *,
    has_scope: bool,
    has_projects: bool,
    has_types: bool,
    has_tag: bool,
    has_excerpt: bool,
    is_continued: bool,
) -> Statement:
    """One page of a list and one row more, newest first."""
    excerpt: LiteralString = "left(m.content, %(excerpt_chars)s) AS content, m.content_chars, " if has_excerpt else ""
    sql: LiteralString = (
        "SELECT m.id, m.memory_type, m.topic, m.scope, m.project, m.tags, m.status, m.recorded_at, "
        + excerpt
        + STATE
        + """ AS state, c.status AS commitment_status
        FROM memories m
        LEFT JOIN commitments c ON c.tenant_id = %(tenant_id)s AND c.memory_id = m.id
        WHERE m.tenant_id = %(tenant_id)s
          AND m.recorded_at >= coalesce(%(recorded_after)s, '-infinity'::timestamptz)
          AND m.recorded_at <= coalesce(%(recorded_before)s, 'infinity'::timestamptz)"""
        + _CONDITIONS[status]
    )
    optional: list[tuple[bool, LiteralString]] = [
        (has_scope, " AND m.scope = " + CANONICAL),
        (has_projects, " AND m.project = ANY(%(projects)s::text[])"),
        (has_types, " AND m.memory_type = ANY(%(types)s::text[])"),
        (has_tag, " AND %(tag)s = ANY(m.tags)"),
        (is_continued, " AND (m.recorded_at, m.id) < (%(after_recorded_at)s, %(after_id)s)"),
    ]
    for is_asked, condition in optional:
        if is_asked:
            sql += condition
    return tenant_statement("listed_memories", sql + " ORDER BY m.recorded_at DESC, m.id DESC LIMIT %(fetch)s")


def _names(column: LiteralString) -> LiteralString:
    """Names of live memories that begin with a prefix: a few probes of the index for each name, not for each memory."""
    return f"""
    WITH RECURSIVE names(name) AS (
        (SELECT m.{column} FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.{column} IS NOT NULL
         ORDER BY m.{column} LIMIT 1)
        UNION ALL
        SELECT (SELECT m.{column} FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.{column} > n.name
                ORDER BY m.{column} LIMIT 1)
        FROM names n WHERE n.name IS NOT NULL
    ), live AS (
        SELECT n.name FROM names n CROSS JOIN LATERAL (
            SELECT FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.{column} = n.name
              AND m.status = 'active' AND m.valid_to IS NULL LIMIT 1) one
        WHERE n.name IS NOT NULL AND starts_with(lower(n.name), lower(%(prefix)s))
    )
    SELECT name, count(*) OVER () AS total FROM live ORDER BY name LIMIT %(limit)s"""


SCOPES_IN_USE = tenant_statement("scopes_in_use", _names("scope"))
PROJECTS_IN_USE = tenant_statement("projects_in_use", _names("project"))

IDENTITY = tenant_statement(
    "memory_identity",
    "SELECT m.id, m.memory_type, m.topic, m.scope, m.project, m.status, m.valid_from, m.valid_to, m.recorded_at, "
    + STATE
    + " AS state FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.id = %(memory_id)s",
)
_WALK: LiteralString = """
    WITH RECURSIVE walk(id, distance, came_from) AS (
        SELECT m.id, 0, NULL::uuid FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.id = %(memory_id)s
        UNION
        SELECT near.id, w.distance + 1, w.id
        FROM walk w CROSS JOIN LATERAL (
            (SELECT e.to_id AS id FROM memory_edges e
             WHERE e.tenant_id = %(tenant_id)s AND e.from_id = w.id AND e.retracted_at IS NULL LIMIT 4 * %(max_nodes)s)
            UNION
            (SELECT e.from_id FROM memory_edges e
             WHERE e.tenant_id = %(tenant_id)s AND e.to_id = w.id AND e.retracted_at IS NULL LIMIT 4 * %(max_nodes)s)
        ) near
        WHERE w.distance < %(max_nodes)s AND near.id IS DISTINCT FROM w.came_from
    ), nodes AS (
        SELECT id, min(distance) AS distance FROM (SELECT id, distance FROM walk LIMIT %(max_steps)s) steps
        GROUP BY id ORDER BY 2, 1 LIMIT %(max_nodes)s + 1
    )"""
"""Breadth first from one memory over standing edges, in a bounded number of steps."""

LINEAGE_NODES = tenant_statement(
    "lineage_nodes",
    _WALK
    + " SELECT m.id, m.memory_type, m.topic, m.recorded_at, n.distance, "
    + STATE
    + """ AS state
    FROM nodes n JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = n.id
    ORDER BY n.distance, n.id""",
)
LINEAGE_EDGES = tenant_statement(
    "lineage_edges",
    _WALK
    + """, shown AS (
        SELECT id FROM nodes ORDER BY distance, id LIMIT %(max_nodes)s
    )
    SELECT e.id, e.from_id, e.to_id, e.edge_type, e.created_by, e.recorded_at
    FROM shown n JOIN memory_edges e ON e.tenant_id = %(tenant_id)s AND e.from_id = n.id AND e.retracted_at IS NULL
    WHERE e.to_id IN (SELECT id FROM shown)
    ORDER BY e.recorded_at, e.id LIMIT %(max_edges)s + 1""",
)
DIRECT_EDGES = tenant_statement(
    "direct_edges",
    """
    (SELECT e.to_id AS id, e.edge_type, true AS is_predecessor FROM memory_edges e
     WHERE e.tenant_id = %(tenant_id)s AND e.from_id = %(memory_id)s AND e.retracted_at IS NULL
     ORDER BY e.recorded_at DESC, e.id LIMIT %(max_edges)s + 1)
    UNION ALL
    (SELECT e.from_id, e.edge_type, false FROM memory_edges e
     WHERE e.tenant_id = %(tenant_id)s AND e.to_id = %(memory_id)s AND e.retracted_at IS NULL
     ORDER BY e.recorded_at DESC, e.id LIMIT %(max_edges)s + 1)
    """,
)
EVENTS = tenant_statement(
    "memory_events",
    """
    SELECT id, event_kind, actor_kind, session_run_id, details, recorded_at FROM memory_events
    WHERE tenant_id = %(tenant_id)s AND memory_id = %(memory_id)s
    ORDER BY recorded_at DESC, id DESC LIMIT %(max_events)s + 1
    """,
)
VERSIONS = tenant_statement(
    "memory_versions",
    """
    SELECT version, valid_from, valid_to, status, recorded_from, recorded_to FROM memory_lifetimes
    WHERE tenant_id = %(tenant_id)s AND memory_id = %(memory_id)s
    ORDER BY version DESC LIMIT %(max_versions)s + 1
    """,
)
STATED_FACTS = tenant_statement(
    "stated_facts",
    """
    SELECT id, memory_id, subject, predicate, value, confidence, valid_from, valid_to, recorded_at FROM facts
    WHERE tenant_id = %(tenant_id)s AND memory_id = %(memory_id)s AND (valid_to IS NULL OR valid_to > valid_from)
    ORDER BY valid_to DESC NULLS FIRST, subject, predicate, id LIMIT %(max_facts)s + 1
    """,
)
COMMITMENT = tenant_statement(
    "commitment_of_memory",
    """
    SELECT id, status, owner, due_at, recurrence, resolved_at FROM commitments
    WHERE tenant_id = %(tenant_id)s AND memory_id = %(memory_id)s
    """,
)
