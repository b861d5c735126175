"""Statements of consolidation. Every one reads or writes one tenant; the fan-out's list is the sweeper's."""

from typing import LiteralString

from threengram.core.db.statement import Statement, tenant_statement

TENANTS_TO_CONSOLIDATE = Statement(
    "tenants_to_consolidate", "SELECT tenant_id FROM sweep_tenants_to_consolidate(%(after)s, %(limit)s)"
)
STANDING = tenant_statement(
    "consolidation_standing",
    """
    SELECT coalesce(p.is_enabled, true) AS is_enabled, coalesce(p.examined_no, 0) AS examined_no, c.memory_count,
           (SELECT count(*) FROM consolidation_proposals o
            WHERE o.tenant_id = %(tenant_id)s AND o.status = 'proposed') AS open_edges,
           (SELECT count(*) FROM fact_proposals o
            WHERE o.tenant_id = %(tenant_id)s AND o.status = 'proposed') AS open_facts,
           (SELECT count(*) FROM consolidation_waiting w WHERE w.tenant_id = %(tenant_id)s) AS waiting,
           g.id AS model_id, g.dimensions
    FROM tenant_counters c
    LEFT JOIN consolidation_progress p ON p.tenant_id = %(tenant_id)s
    LEFT JOIN embedding_models g ON g.state = 'active'
    WHERE c.tenant_id = %(tenant_id)s
    """,
)
SWITCH = tenant_statement(
    "switch_consolidation",
    """
    INSERT INTO consolidation_progress (tenant_id, is_enabled, changed_at)
    VALUES (%(tenant_id)s, %(is_enabled)s, %(now)s)
    ON CONFLICT (tenant_id) DO UPDATE SET is_enabled = excluded.is_enabled, changed_at = excluded.changed_at
    """,
)
ADVANCE = tenant_statement(
    "advance_consolidation",
    """
    INSERT INTO consolidation_progress AS p (tenant_id, examined_no, changed_at)
    VALUES (%(tenant_id)s, %(examined_no)s, %(now)s)
    ON CONFLICT (tenant_id) DO UPDATE SET examined_no = excluded.examined_no, changed_at = excluded.changed_at
    WHERE p.examined_no = %(expected_no)s AND p.is_enabled
    RETURNING p.examined_no
    """,
)
"""No row when another run has gone on from there, or somebody has switched consolidation off."""

SUBJECTS = tenant_statement(
    "consolidation_subjects",
    """
    SELECT m.id, m.memory_no, m.memory_type, m.topic, left(m.content, %(content_chars)s) AS content, m.scope,
           m.project, m.status = 'active' AND m.valid_to IS NULL AS is_live, s.is_new,
           EXISTS (SELECT FROM memory_embeddings v
                   WHERE v.tenant_id = %(tenant_id)s AND v.memory_id = m.id AND v.model_id = %(model_id)s) AS has_vector
    FROM (
        (SELECT n.id, true AS is_new FROM memories n
         WHERE n.tenant_id = %(tenant_id)s AND n.memory_no > %(examined_no)s
         ORDER BY n.memory_no LIMIT %(limit)s)
        UNION ALL
        (SELECT w.memory_id, false FROM consolidation_waiting w
         WHERE w.tenant_id = %(tenant_id)s AND EXISTS (
             SELECT FROM memory_embeddings v
             WHERE v.tenant_id = %(tenant_id)s AND v.memory_id = w.memory_id AND v.model_id = %(model_id)s)
         ORDER BY w.memory_id LIMIT %(limit)s)
    ) s
    JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = s.id
    ORDER BY s.is_new, m.memory_no
    """,
)

_NEIGHBOURS: LiteralString = """
    SELECT s.id AS subject_id, n.id, n.memory_no, n.memory_type, n.topic, n.content, n.project,
           1 - n.distance AS similarity
    FROM memories s
    JOIN memory_embeddings a ON a.tenant_id = %(tenant_id)s AND a.memory_id = s.id AND a.model_id = {model}
        AND a.window_no = 0
    CROSS JOIN LATERAL (
        SELECT m.id, m.memory_no, m.memory_type, m.topic, left(m.content, %(content_chars)s) AS content, m.project,
               v.embedding::halfvec({dimensions}) <=> a.embedding::halfvec({dimensions}) AS distance
        FROM memory_embeddings v
        JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = v.memory_id
        WHERE v.tenant_id = %(tenant_id)s AND v.model_id = {model} AND v.window_no = 0
          AND m.id <> s.id AND m.scope = s.scope AND m.project IS NOT DISTINCT FROM s.project
          AND m.status = 'active' AND m.valid_to IS NULL
        ORDER BY v.embedding::halfvec({dimensions}) <=> a.embedding::halfvec({dimensions}) LIMIT %(neighbours)s
    ) n
    WHERE s.tenant_id = %(tenant_id)s AND s.id = ANY(%(subject_ids)s) AND 1 - n.distance >= %(min_similarity)s
      AND NOT EXISTS (
          SELECT FROM consolidation_proposals p
          WHERE p.tenant_id = %(tenant_id)s AND least(p.from_id, p.to_id) = least(s.id, n.id)
            AND greatest(p.from_id, p.to_id) = greatest(s.id, n.id)
            AND (p.status <> 'rejected' OR p.reason IN ('declined', 'undone')))
      AND NOT EXISTS (
          SELECT FROM memory_edges e
          WHERE e.tenant_id = %(tenant_id)s AND e.from_id IN (s.id, n.id) AND e.to_id IN (s.id, n.id))
    """


def neighbours(model_id: int, dimensions: int) -> Statement:
    """The nearest live memories of each subject in its own scope and project, but for pairs that are settled.

    Model and width are integers of ours; the planner wants them as literals to see the index.
    """
    sql = _NEIGHBOURS.format(model=str(int(model_id)), dimensions=str(int(dimensions)))
    return tenant_statement("consolidation_neighbours", sql)


INSERT_EDGES = tenant_statement(
    "insert_edge_proposals",
    """
    INSERT INTO consolidation_proposals (tenant_id, id, from_id, to_id, edge_type, memory_type, similarity, rationale,
                                         proposal_rule, confidence, created_at)
    SELECT %(tenant_id)s, p.id, p.from_id, p.to_id, p.edge_type, f.memory_type, p.similarity, p.rationale,
           p.proposal_rule, p.confidence, %(now)s
    FROM unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(edge_types)s::text[],
                %(similarities)s::real[], %(rationales)s::text[], %(rules)s::text[], %(confidences)s::real[])
         AS p (id, from_id, to_id, edge_type, similarity, rationale, proposal_rule, confidence)
    JOIN memories f ON f.tenant_id = %(tenant_id)s AND f.id = p.from_id
    JOIN memories t ON t.tenant_id = %(tenant_id)s AND t.id = p.to_id
    WHERE f.scope = t.scope AND f.project IS NOT DISTINCT FROM t.project
      AND f.status = 'active' AND f.valid_to IS NULL AND t.status = 'active' AND t.valid_to IS NULL
      AND NOT EXISTS (
          SELECT FROM memory_edges e WHERE e.tenant_id = %(tenant_id)s
            AND e.from_id IN (p.from_id, p.to_id) AND e.to_id IN (p.from_id, p.to_id))
    ON CONFLICT DO NOTHING
    RETURNING id
    """,
)
INSERT_FACTS = tenant_statement(
    "insert_fact_proposals",
    """
    INSERT INTO fact_proposals (tenant_id, id, memory_id, subject, predicate, value, confidence, memory_type, rationale,
                                created_at)
    SELECT %(tenant_id)s, p.id, p.memory_id, p.subject, p.predicate, p.value, p.confidence, m.memory_type, p.rationale,
           %(now)s
    FROM unnest(%(ids)s::uuid[], %(memory_ids)s::uuid[], %(subjects)s::text[], %(predicates)s::text[],
                %(values)s::text[], %(confidences)s::real[], %(rationales)s::text[])
         AS p (id, memory_id, subject, predicate, value, confidence, rationale)
    JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = p.memory_id
    WHERE m.status = 'active' AND m.valid_to IS NULL
      AND NOT EXISTS (
          SELECT FROM facts f WHERE f.tenant_id = %(tenant_id)s AND f.subject = p.subject
            AND f.predicate = p.predicate AND f.value = p.value AND f.status = 'active'
            AND (f.valid_to IS NULL OR f.valid_to > %(now)s))
      AND NOT EXISTS (
          SELECT FROM facts f WHERE f.tenant_id = %(tenant_id)s AND f.memory_id = p.memory_id AND f.value = p.value)
      AND NOT EXISTS (
          SELECT FROM fact_proposals o WHERE o.tenant_id = %(tenant_id)s AND o.subject = p.subject
            AND o.predicate = p.predicate AND o.value = p.value
            AND (o.status = 'proposed' OR o.reason IN ('declined', 'undone')))
    ON CONFLICT DO NOTHING
    RETURNING id
    """,
)
"""A memory that states the value as a fact of its own has said so in better words than a rule finds."""

WAIT = tenant_statement(
    "consolidation_waits",
    """
    INSERT INTO consolidation_waiting (tenant_id, memory_id)
    SELECT %(tenant_id)s, w.memory_id FROM unnest(%(waiting_ids)s::uuid[]) AS w (memory_id)
    ON CONFLICT DO NOTHING
    """,
)
STOP_WAITING = tenant_statement(
    "consolidation_stops_waiting",
    "DELETE FROM consolidation_waiting WHERE tenant_id = %(tenant_id)s AND memory_id = ANY(%(examined_ids)s)",
)
