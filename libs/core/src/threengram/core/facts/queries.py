"""Statements on facts and their lifetimes."""

# ruff: noqa: S608 - every part is a LiteralString of this module or of `as_of`; mypy holds them to it

from typing import LiteralString

from threengram.core.db.statement import tenant_statement

_LATEST: LiteralString = """
    (SELECT max(latest.changed_at) + interval '1 microsecond'
     FROM touched t CROSS JOIN LATERAL (
         SELECT f.changed_at FROM facts f
         WHERE f.tenant_id = %(tenant_id)s AND f.subject = t.subject AND f.predicate = t.predicate
         ORDER BY f.changed_at DESC LIMIT 1) latest),
    (SELECT l.recorded_from + interval '1 microsecond' FROM memory_lifetimes l
     WHERE l.tenant_id = %(tenant_id)s AND l.memory_id = %(closing_id)s AND l.recorded_to IS NULL),
    (SELECT c.updated_at + interval '1 microsecond' FROM commitments c
     WHERE c.tenant_id = %(tenant_id)s AND c.memory_id = %(closing_id)s)"""
_OWN_SERIES: LiteralString = """
    SELECT f.subject, f.predicate FROM facts f WHERE f.tenant_id = %(tenant_id)s AND f.memory_id = %(closing_id)s"""

LOCK_SERIES = tenant_statement(
    "lock_fact_series",
    r"""
    SELECT pg_advisory_xact_lock(locked.key) FROM (
        SELECT DISTINCT hashtextextended(
            %(tenant_id)s::text || E'\x1f' || named.subject || E'\x1f' || named.predicate, 3) AS key
        FROM (
            SELECT s.subject, s.predicate
            FROM unnest(%(subjects)s::text[], %(predicates)s::text[]) AS s (subject, predicate)
            UNION ALL
            SELECT f.subject, f.predicate FROM facts f
            WHERE f.tenant_id = %(tenant_id)s AND f.memory_id = %(closing_id)s
        ) named
        ORDER BY 1 OFFSET 0
    ) locked
    """,
)
RECORDING = tenant_statement(
    "fact_recording_instant",
    "WITH touched AS (" + _OWN_SERIES + ") SELECT greatest(%(now)s::timestamptz, " + _LATEST + ") AS at",
)
FACTS_OF_MEMORY = tenant_statement(
    "facts_of_memory",
    """
    SELECT f.id, f.subject, f.predicate, f.value, f.valid_from, f.valid_to, f.status
    FROM facts f WHERE f.tenant_id = %(tenant_id)s AND f.memory_id = %(closing_id)s ORDER BY f.valid_from, f.id
    """,
)
NEIGHBOURS = tenant_statement(
    "fact_neighbours",
    """
    WITH asked AS (
        SELECT * FROM unnest(%(subjects)s::text[], %(predicates)s::text[], %(valid_froms)s::timestamptz[])
            AS s (subject, predicate, valid_from)
    ), touched AS (
        SELECT subject, predicate FROM asked UNION """
    + _OWN_SERIES
    + """
    ), recording AS (
        SELECT greatest(%(now)s::timestamptz, """
    + _LATEST
    + """) AS at
    )
    SELECT r.at, n.id, n.subject, n.predicate, n.value, n.valid_from, n.valid_to, n.status
    FROM recording r CROSS JOIN asked a LEFT JOIN LATERAL (
        (SELECT f.* FROM facts f
         WHERE f.tenant_id = %(tenant_id)s AND f.subject = a.subject AND f.predicate = a.predicate
           AND f.valid_from <= coalesce(a.valid_from, r.at) AND (f.valid_to IS NULL OR f.valid_to > f.valid_from)
           AND f.memory_id IS DISTINCT FROM %(closing_id)s
         ORDER BY f.valid_from DESC LIMIT 1)
        UNION ALL
        (SELECT f.* FROM facts f
         WHERE f.tenant_id = %(tenant_id)s AND f.subject = a.subject AND f.predicate = a.predicate
           AND f.valid_from > coalesce(a.valid_from, r.at) AND (f.valid_to IS NULL OR f.valid_to > f.valid_from)
           AND f.memory_id IS DISTINCT FROM %(closing_id)s
         ORDER BY f.valid_from LIMIT 1)
    ) n ON true
    """,
)
INSERT_FACTS = tenant_statement(
    "insert_facts",
    """
    WITH written AS (
        INSERT INTO facts (tenant_id, id, memory_id, subject, predicate, value, confidence, valid_from, valid_to,
                           recorded_at, changed_at)
        SELECT %(tenant_id)s, f.id, %(memory_id)s, f.subject, f.predicate, f.value, f.confidence, f.valid_from,
               f.valid_to, %(at)s, %(at)s
        FROM unnest(%(ids)s::uuid[], %(subjects)s::text[], %(predicates)s::text[], %(values)s::text[],
                    %(confidences)s::real[], %(valid_froms)s::timestamptz[], %(valid_tos)s::timestamptz[])
             AS f (id, subject, predicate, value, confidence, valid_from, valid_to)
        RETURNING id, valid_from, valid_to, status
    )
    INSERT INTO fact_lifetimes (tenant_id, fact_id, version, valid_from, valid_to, status, recorded_from)
    SELECT %(tenant_id)s, id, 1, valid_from, valid_to, status, %(at)s FROM written
    """,
)
NEXT_VERSIONS = tenant_statement(
    "next_fact_versions",
    """
    WITH wanted AS (
        SELECT * FROM unnest(%(ids)s::uuid[], %(valid_tos)s::timestamptz[], %(statuses)s::text[])
            AS w (id, valid_to, status)
    ), changed AS (
        UPDATE facts f SET valid_to = w.valid_to, status = w.status, changed_at = %(at)s
        FROM wanted w
        WHERE f.tenant_id = %(tenant_id)s AND f.id = w.id
        RETURNING f.id, f.valid_from, f.valid_to, f.status
    ), closed AS (
        UPDATE fact_lifetimes l SET recorded_to = %(at)s
        FROM wanted w
        WHERE l.tenant_id = %(tenant_id)s AND l.fact_id = w.id AND l.recorded_to IS NULL
        RETURNING l.fact_id, l.version
    )
    INSERT INTO fact_lifetimes (tenant_id, fact_id, version, valid_from, valid_to, status, recorded_from)
    SELECT %(tenant_id)s, c.id, l.version + 1, c.valid_from, c.valid_to, c.status, %(at)s
    FROM changed c JOIN closed l ON l.fact_id = c.id
    """,
)
PUT_AWAY = tenant_statement(
    "facts_put_away",
    """
    SELECT f.id, f.valid_from,
           (SELECT l.valid_to FROM fact_lifetimes l
            WHERE l.tenant_id = %(tenant_id)s AND l.fact_id = f.id AND l.status = 'active'
              AND (%(closed_at)s::timestamptz IS NULL OR l.recorded_to = %(closed_at)s)
            ORDER BY l.version DESC LIMIT 1) AS former_end,
           (SELECT o.valid_from FROM facts o
            WHERE o.tenant_id = %(tenant_id)s AND o.subject = f.subject AND o.predicate = f.predicate AND o.id <> f.id
              AND o.valid_from > f.valid_from AND (o.valid_to IS NULL OR o.valid_to > o.valid_from)
            ORDER BY o.valid_from LIMIT 1) AS next_start,
           EXISTS (SELECT FROM facts o
            WHERE o.tenant_id = %(tenant_id)s AND o.subject = f.subject AND o.predicate = f.predicate AND o.id <> f.id
              AND o.valid_from <= f.valid_from AND (o.valid_to IS NULL OR o.valid_to > f.valid_from)) AS is_taken
    FROM facts f
    WHERE f.tenant_id = %(tenant_id)s AND f.memory_id = %(closing_id)s
      AND CASE WHEN %(closed_at)s::timestamptz IS NULL THEN f.status = 'archived'
               ELSE f.changed_at = %(closed_at)s AND f.recorded_at < %(closed_at)s END
    """,
)
