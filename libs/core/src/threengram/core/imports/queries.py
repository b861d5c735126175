"""Statements of an import: what is here already, and how what is not gets in."""

from threengram.core.db.statement import tenant_statement

ONE_AT_A_TIME = tenant_statement(
    "hold_imports", "SELECT pg_advisory_xact_lock(hashtextextended(%(tenant_id)s::text, 13))"
)
"""Before every other lock, so that two files of one account take turns, batch by batch."""

FOUND_MEMORIES = tenant_statement(
    "found_memories",
    """
    SELECT id, memory_type, topic, content_hash, scope, project, tags, status, valid_from, valid_to
    FROM memories WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)s::uuid[])
    """,
)
FILED = tenant_statement(
    "filed_memories",
    """
    WITH asked AS (
        SELECT a.*, coalesce((SELECT s.name FROM scopes s
                              WHERE s.tenant_id = %(tenant_id)s AND a.label = ANY (s.aliases)), a.label) AS scope
        FROM unnest(%(hashes)s::bytea[], %(types)s::text[], %(labels)s::text[], %(projects)s::text[])
            WITH ORDINALITY AS a (content_hash, memory_type, label, project, position)
    )
    SELECT a.scope, t.id AS twin_id
    FROM asked a
    LEFT JOIN memories t ON t.tenant_id = %(tenant_id)s AND t.content_hash = a.content_hash
        AND t.memory_type = a.memory_type AND t.scope = a.scope AND t.project IS NOT DISTINCT FROM a.project
        AND t.valid_to IS NULL AND t.status = 'active'
    ORDER BY a.position
    """,
)
"""Where each memory is filed here, and the live memory that says the same there, if there is one."""

IMPORT_MEMORY = tenant_statement(
    "import_memory",
    """
    WITH counted AS (
        UPDATE tenant_counters SET memory_count = memory_count + 1
        WHERE tenant_id = %(tenant_id)s
        RETURNING memory_count
    ), written AS (
        INSERT INTO memories (tenant_id, id, memory_no, user_id, memory_type, topic, content, content_chars,
                              content_hash, scope, project, tags, status, valid_from, valid_to, recorded_at, touched_at)
        SELECT %(tenant_id)s, %(memory_id)s, memory_count, %(user_id)s, %(memory_type)s, %(topic)s, %(content)s,
               %(content_chars)s, %(content_hash)s, %(scope)s, %(project)s, %(tags)s, %(status)s, %(valid_from)s,
               %(valid_to)s, %(recorded_at)s, %(touched_at)s
        FROM counted
        RETURNING id, valid_from, valid_to, status
    ), lived AS (
        INSERT INTO memory_lifetimes (tenant_id, memory_id, version, valid_from, valid_to, status, recorded_from)
        SELECT %(tenant_id)s, id, 1, valid_from, valid_to, status, %(at)s FROM written
    )
    INSERT INTO memory_events (tenant_id, id, memory_id, event_kind, actor_kind, details, recorded_at)
    SELECT %(tenant_id)s, %(event_id)s, id, 'import', 'importer', %(details)s, %(at)s FROM written
    """,
)
POST_TERMS = tenant_statement(
    "post_imported_terms",
    """
    INSERT INTO memory_terms (tenant_id, term, memory_no, weight)
    SELECT %(tenant_id)s, t.term, c.memory_count, t.weight
    FROM unnest(%(terms)s::bigint[], %(weights)s::smallint[]) AS t (term, weight), tenant_counters c
    WHERE c.tenant_id = %(tenant_id)s
    """,
)
COUNT_TERMS = tenant_statement(
    "count_imported_terms",
    """
    INSERT INTO term_stats AS s (tenant_id, term, df)
    SELECT %(tenant_id)s, t.term, t.df FROM unnest(%(terms)s::bigint[], %(dfs)s::int[]) AS t (term, df)
    ON CONFLICT (tenant_id, term) DO UPDATE SET df = s.df + excluded.df
    """,
)
"""Once for a whole batch: a row that one transaction updates for each memory gets as many versions, and slower each."""

HELD_MEMORIES = tenant_statement(
    "held_memories",
    """
    SELECT id, memory_type, valid_to IS NOT NULL AS is_ended, valid_to IS NULL AND status = 'active' AS is_live
    FROM memories WHERE tenant_id = %(tenant_id)s AND id = ANY(%(memory_ids)s::uuid[])
    """,
)

FOUND_EDGES = tenant_statement(
    "found_edges",
    """
    SELECT id, from_id, to_id, edge_type, retracted_at IS NOT NULL AS is_retracted
    FROM memory_edges WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)s::uuid[])
    """,
)
STANDING_EDGES = tenant_statement(
    "standing_edges",
    """
    SELECT id, from_id, to_id, edge_type FROM memory_edges
    WHERE tenant_id = %(tenant_id)s AND to_id = ANY(%(memory_ids)s::uuid[]) AND retracted_at IS NULL
    """,
)
IMPORT_EDGES = tenant_statement(
    "import_edges",
    """
    INSERT INTO memory_edges (tenant_id, id, from_id, to_id, edge_type, created_by, recorded_at, retracted_at)
    SELECT %(tenant_id)s, e.id, e.from_id, e.to_id, e.edge_type, 'importer', %(at)s,
           CASE WHEN e.is_retracted THEN %(at)s::timestamptz END
    FROM unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(types)s::text[], %(are_retracted)s::bool[])
        WITH ORDINALITY AS e (id, from_id, to_id, edge_type, is_retracted, position)
    ORDER BY e.position
    """,
)
"""In the order given, in which no memory gets a predecessor once it has a successor."""

LOCK_FACT_SERIES = tenant_statement(
    "lock_imported_series",
    r"""
    SELECT pg_advisory_xact_lock(locked.key) FROM (
        SELECT DISTINCT hashtextextended(
            %(tenant_id)s::text || E'\x1f' || s.subject || E'\x1f' || s.predicate, 3) AS key
        FROM unnest(%(subjects)s::text[], %(predicates)s::text[]) AS s (subject, predicate)
        ORDER BY 1 OFFSET 0
    ) locked
    """,
)
FOUND_FACTS = tenant_statement(
    "found_facts",
    """
    SELECT id, memory_id, subject, predicate, value, status, valid_from, valid_to
    FROM facts WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)s::uuid[])
    """,
)
FACTS_IN_THE_WAY = tenant_statement(
    "facts_in_the_way",
    """
    SELECT a.position::int - 1 AS place, n.id
    FROM unnest(%(ids)s::uuid[], %(subjects)s::text[], %(predicates)s::text[], %(valid_froms)s::timestamptz[],
                %(valid_tos)s::timestamptz[])
        WITH ORDINALITY AS a (id, subject, predicate, valid_from, valid_to, position)
    CROSS JOIN LATERAL (
        (SELECT f.id, f.valid_from, f.valid_to FROM facts f
         WHERE f.tenant_id = %(tenant_id)s AND f.subject = a.subject AND f.predicate = a.predicate AND f.id <> a.id
           AND f.valid_from <= a.valid_from AND (f.valid_to IS NULL OR f.valid_to > f.valid_from)
         ORDER BY f.valid_from DESC LIMIT 1)
        UNION ALL
        (SELECT f.id, f.valid_from, f.valid_to FROM facts f
         WHERE f.tenant_id = %(tenant_id)s AND f.subject = a.subject AND f.predicate = a.predicate AND f.id <> a.id
           AND f.valid_from > a.valid_from AND (f.valid_to IS NULL OR f.valid_to > f.valid_from)
         ORDER BY f.valid_from LIMIT 1)
    ) n
    WHERE (n.valid_to IS NULL OR n.valid_to > a.valid_from) AND (a.valid_to IS NULL OR n.valid_from < a.valid_to)
      AND (a.valid_to IS NULL OR a.valid_to > a.valid_from)
    ORDER BY 1
    """,
)
"""Generations that overlap with the fact at a place; those that are stored do not overlap, so neighbours are enough."""

RECORDING = tenant_statement(
    "imported_facts_recording",
    """
    SELECT greatest(%(now)s::timestamptz, max(latest.changed_at) + interval '1 microsecond') AS at
    FROM unnest(%(subjects)s::text[], %(predicates)s::text[]) AS s (subject, predicate)
    LEFT JOIN LATERAL (
        SELECT f.changed_at FROM facts f
        WHERE f.tenant_id = %(tenant_id)s AND f.subject = s.subject AND f.predicate = s.predicate
        ORDER BY f.changed_at DESC LIMIT 1
    ) latest ON true
    """,
)
IMPORT_FACTS = tenant_statement(
    "import_facts",
    """
    WITH written AS (
        INSERT INTO facts (tenant_id, id, memory_id, subject, predicate, value, confidence, status, valid_from,
                           valid_to, recorded_at, changed_at)
        SELECT %(tenant_id)s, f.id, f.memory_id, f.subject, f.predicate, f.value, f.confidence, f.status, f.valid_from,
               f.valid_to, least(f.recorded_at, %(at)s), %(at)s
        FROM unnest(%(ids)s::uuid[], %(memory_ids)s::uuid[], %(subjects)s::text[], %(predicates)s::text[],
                    %(values)s::text[], %(confidences)s::real[], %(statuses)s::text[], %(valid_froms)s::timestamptz[],
                    %(valid_tos)s::timestamptz[], %(recorded_ats)s::timestamptz[])
             AS f (id, memory_id, subject, predicate, value, confidence, status, valid_from, valid_to, recorded_at)
        RETURNING id, valid_from, valid_to, status
    )
    INSERT INTO fact_lifetimes (tenant_id, fact_id, version, valid_from, valid_to, status, recorded_from)
    SELECT %(tenant_id)s, id, 1, valid_from, valid_to, status, %(at)s FROM written
    """,
)

FOUND_COMMITMENTS = tenant_statement(
    "found_commitments",
    """
    SELECT id, memory_id, status, owner, due_at, recurrence, recurs_from, resolved_at
    FROM commitments
    WHERE tenant_id = %(tenant_id)s AND (id = ANY(%(ids)s::uuid[]) OR memory_id = ANY(%(memory_ids)s::uuid[]))
    """,
)
IMPORT_COMMITMENTS = tenant_statement(
    "import_commitments",
    """
    INSERT INTO commitments (tenant_id, id, memory_id, status, owner, due_at, recurrence, recurs_from,
                             next_surfacing_at, surfaced_at, resolved_at, recorded_at, updated_at)
    SELECT %(tenant_id)s, c.id, c.memory_id, c.status, c.owner, c.due_at, c.recurrence, c.recurs_from,
           c.next_surfacing_at, c.surfaced_at, c.resolved_at, least(c.recorded_at, %(at)s), least(c.updated_at, %(at)s)
    FROM unnest(%(ids)s::uuid[], %(memory_ids)s::uuid[], %(statuses)s::text[], %(owners)s::text[],
                %(due_ats)s::timestamptz[], %(recurrences)s::text[], %(recurs_froms)s::timestamptz[],
                %(next_surfacing_ats)s::timestamptz[], %(surfaced_ats)s::timestamptz[],
                %(resolved_ats)s::timestamptz[], %(recorded_ats)s::timestamptz[], %(updated_ats)s::timestamptz[])
         AS c (id, memory_id, status, owner, due_at, recurrence, recurs_from, next_surfacing_at, surfaced_at,
               resolved_at, recorded_at, updated_at)
    """,
)
FOUND_OCCURRENCES = tenant_statement(
    "found_occurrences",
    """
    SELECT commitment_id, occurrence_no, due_at, status, next_due_at, reopened_at IS NOT NULL AS is_reopened
    FROM commitment_occurrences
    WHERE tenant_id = %(tenant_id)s AND (commitment_id, occurrence_no) IN (
        SELECT * FROM unnest(%(commitment_ids)s::uuid[], %(numbers)s::int[]))
    """,
)
KNOWN_COMMITMENTS = tenant_statement(
    "known_commitments",
    """
    SELECT c.id, m.id AS memory_id
    FROM commitments c JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = c.memory_id
    WHERE c.tenant_id = %(tenant_id)s AND c.id = ANY(%(commitment_ids)s::uuid[])
    ORDER BY m.id FOR NO KEY UPDATE OF m
    """,
)
IMPORT_OCCURRENCES = tenant_statement(
    "import_occurrences",
    """
    INSERT INTO commitment_occurrences (tenant_id, commitment_id, occurrence_no, due_at, status, next_due_at,
                                        recorded_at, reopened_at)
    SELECT %(tenant_id)s, o.commitment_id, o.occurrence_no, o.due_at, o.status, o.next_due_at,
           least(o.recorded_at, %(at)s),
           CASE WHEN o.reopened_at IS NOT NULL THEN least(o.reopened_at, %(at)s) END
    FROM unnest(%(commitment_ids)s::uuid[], %(numbers)s::int[], %(due_ats)s::timestamptz[], %(statuses)s::text[],
                %(next_due_ats)s::timestamptz[], %(recorded_ats)s::timestamptz[], %(reopened_ats)s::timestamptz[])
         AS o (commitment_id, occurrence_no, due_at, status, next_due_at, recorded_at, reopened_at)
    """,
)

SETTINGS = tenant_statement(
    "imported_settings",
    """
    SELECT p.mode, p.scope, c.is_enabled
    FROM (SELECT) here
    LEFT JOIN retrieval_policies p ON p.tenant_id = %(tenant_id)s
    LEFT JOIN consolidation_progress c ON c.tenant_id = %(tenant_id)s
    """,
)
FILED_UNDER = tenant_statement(
    "memories_filed_under",
    """
    SELECT label FROM unnest(%(labels)s::text[]) AS asked (label)
    WHERE EXISTS (SELECT FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.scope = asked.label)
    """,
)
"""The labels under which something is filed: as an alias, such a label would take those memories along."""

IMPORT_CONSOLIDATION = tenant_statement(
    "import_consolidation",
    """
    INSERT INTO consolidation_progress (tenant_id, is_enabled, changed_at)
    VALUES (%(tenant_id)s, %(is_enabled)s, %(changed_at)s)
    """,
)

FOUND_PROPOSALS = tenant_statement(
    "found_proposals",
    """
    SELECT id, status, reason FROM consolidation_proposals
    WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)s::uuid[])
    UNION ALL
    SELECT id, status, reason FROM fact_proposals WHERE tenant_id = %(tenant_id)s AND id = ANY(%(ids)s::uuid[])
    """,
)
STANDING_PAIRS = tenant_statement(
    "standing_pairs",
    """
    SELECT id, from_id, to_id FROM consolidation_proposals
    WHERE tenant_id = %(tenant_id)s AND (status <> 'rejected' OR reason IN ('declined', 'undone'))
      AND (least(from_id, to_id), greatest(from_id, to_id)) IN (
          SELECT least(a.from_id, a.to_id), greatest(a.from_id, a.to_id)
          FROM unnest(%(from_ids)s::uuid[], %(to_ids)s::uuid[]) AS a (from_id, to_id))
    """,
)
STANDING_CLAIMS = tenant_statement(
    "standing_claims",
    """
    SELECT id, memory_id, subject, predicate, value FROM fact_proposals
    WHERE tenant_id = %(tenant_id)s AND memory_id = ANY(%(memory_ids)s::uuid[])
      AND (status <> 'rejected' OR reason IN ('declined', 'undone'))
    """,
)
IMPORT_EDGE_PROPOSALS = tenant_statement(
    "import_edge_proposals",
    """
    INSERT INTO consolidation_proposals (tenant_id, id, from_id, to_id, edge_type, memory_type, similarity,
                                         proposal_rule, confidence, status, reason, decided_at, created_at)
    SELECT %(tenant_id)s, p.id, p.from_id, p.to_id, p.edge_type, p.memory_type, p.similarity, p.proposal_rule,
           p.confidence, 'rejected', p.reason, least(p.decided_at, %(at)s), least(p.created_at, %(at)s)
    FROM unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(edge_types)s::text[],
                %(memory_types)s::text[], %(similarities)s::real[], %(rules)s::text[], %(confidences)s::real[],
                %(reasons)s::text[], %(decided_ats)s::timestamptz[], %(created_ats)s::timestamptz[])
         AS p (id, from_id, to_id, edge_type, memory_type, similarity, proposal_rule, confidence, reason, decided_at,
               created_at)
    """,
)
IMPORT_FACT_PROPOSALS = tenant_statement(
    "import_fact_proposals",
    """
    INSERT INTO fact_proposals (tenant_id, id, memory_id, subject, predicate, value, confidence, valid_from, valid_to,
                                memory_type, status, reason, decided_at, created_at)
    SELECT %(tenant_id)s, p.id, p.memory_id, p.subject, p.predicate, p.value, p.confidence, p.valid_from, p.valid_to,
           p.memory_type, 'rejected', p.reason, least(p.decided_at, %(at)s), least(p.created_at, %(at)s)
    FROM unnest(%(ids)s::uuid[], %(memory_ids)s::uuid[], %(subjects)s::text[], %(predicates)s::text[],
                %(values)s::text[], %(confidences)s::real[], %(valid_froms)s::timestamptz[],
                %(valid_tos)s::timestamptz[], %(memory_types)s::text[], %(reasons)s::text[],
                %(decided_ats)s::timestamptz[], %(created_ats)s::timestamptz[])
         AS p (id, memory_id, subject, predicate, value, confidence, valid_from, valid_to, memory_type, reason,
               decided_at, created_at)
    """,
)
