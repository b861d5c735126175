"""Statements on facts and their lifetimes."""

from threengram.core.db.statement import tenant_statement

LOCK_SERIES = tenant_statement(
    "lock_fact_series",
    r"""
    SELECT pg_advisory_xact_lock(
        hashtextextended(%(tenant_id)s::text || E'\x1f' || s.subject || E'\x1f' || s.predicate, 3))
    FROM unnest(%(subjects)s::text[], %(predicates)s::text[]) WITH ORDINALITY AS s (subject, predicate, position)
    ORDER BY s.position
    """,
)
GENERATIONS = tenant_statement(
    "fact_generations",
    """
    SELECT f.id, f.subject, f.predicate, f.value, f.valid_from, f.valid_to
    FROM unnest(%(subjects)s::text[], %(predicates)s::text[]) AS s (subject, predicate)
    JOIN facts f ON f.tenant_id = %(tenant_id)s AND f.subject = s.subject AND f.predicate = s.predicate
    """,
)
INSERT_FACTS = tenant_statement(
    "insert_facts",
    """
    WITH written AS (
        INSERT INTO facts (tenant_id, id, memory_id, subject, predicate, value, confidence, valid_from, valid_to,
                           recorded_at)
        SELECT %(tenant_id)s, f.id, %(memory_id)s, f.subject, f.predicate, f.value, f.confidence, f.valid_from,
               f.valid_to, %(now)s
        FROM unnest(%(ids)s::uuid[], %(subjects)s::text[], %(predicates)s::text[], %(values)s::text[],
                    %(confidences)s::real[], %(valid_froms)s::timestamptz[], %(valid_tos)s::timestamptz[])
             AS f (id, subject, predicate, value, confidence, valid_from, valid_to)
        RETURNING id, valid_from, valid_to, status
    )
    INSERT INTO fact_lifetimes (tenant_id, fact_id, version, valid_from, valid_to, status, recorded_from)
    SELECT %(tenant_id)s, id, 1, valid_from, valid_to, status, %(now)s FROM written
    """,
)
END_FACTS = tenant_statement(
    "end_facts",
    """
    WITH ended AS (
        SELECT * FROM unnest(%(ids)s::uuid[], %(ends)s::timestamptz[]) AS e (id, valid_to)
    ), closed AS (
        UPDATE fact_lifetimes l SET recorded_to = greatest(%(now)s, l.recorded_from)
        FROM ended e
        WHERE l.tenant_id = %(tenant_id)s AND l.fact_id = e.id AND l.recorded_to IS NULL
        RETURNING l.fact_id, l.version, l.valid_from, l.status, l.recorded_to, e.valid_to
    ), next_version AS (
        INSERT INTO fact_lifetimes (tenant_id, fact_id, version, valid_from, valid_to, status, recorded_from)
        SELECT %(tenant_id)s, fact_id, version + 1, valid_from, valid_to, status, recorded_to FROM closed
    )
    UPDATE facts f SET valid_to = e.valid_to
    FROM ended e
    WHERE f.tenant_id = %(tenant_id)s AND f.id = e.id
    """,
)
