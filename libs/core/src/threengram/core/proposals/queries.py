"""Statements on proposals."""

# ruff: noqa: S608 - every part is a LiteralString of this module; mypy holds them to it

from typing import LiteralString

from threengram.core.db.statement import tenant_statement

_SUPERSEDED: LiteralString = """EXISTS (
    SELECT FROM memory_edges e WHERE e.tenant_id = %(tenant_id)s AND e.to_id = m.id
      AND e.edge_type IN ('supersedes', 'updates') AND e.retracted_at IS NULL)"""

RETIRE_EDGES = tenant_statement(
    "retire_stale_edge_proposals",
    """
    UPDATE consolidation_proposals p SET status = 'rejected', reason = stale.reason, decided_at = %(now)s
    FROM (
        SELECT p.id, s.reason
        FROM consolidation_proposals p
        CROSS JOIN LATERAL (
            SELECT CASE
                WHEN bool_or(m.valid_to IS NOT NULL AND """
    + _SUPERSEDED
    + """) THEN 'superseded'
                WHEN bool_or(m.valid_to IS NOT NULL OR m.status <> 'active') THEN 'not_live'
                WHEN EXISTS (
                    SELECT FROM memory_edges e WHERE e.tenant_id = %(tenant_id)s AND e.edge_type = p.edge_type
                      AND e.from_id IN (p.from_id, p.to_id) AND e.to_id IN (p.from_id, p.to_id)
                      AND e.retracted_at IS NULL) THEN 'already_recorded'
            END AS reason
            FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.id IN (p.from_id, p.to_id)
        ) s
        WHERE p.tenant_id = %(tenant_id)s AND p.status = 'proposed' AND s.reason IS NOT NULL
          AND (%(proposal_id)s::uuid IS NULL OR p.id = %(proposal_id)s)
        FOR UPDATE OF p SKIP LOCKED
    ) stale
    WHERE p.tenant_id = %(tenant_id)s AND p.id = stale.id
    RETURNING p.reason
    """,
)
"""Withdraws what has become pointless, but for rows that somebody is deciding at this moment."""

RETIRE_FACTS = tenant_statement(
    "retire_stale_fact_proposals",
    """
    UPDATE fact_proposals p SET status = 'rejected', reason = stale.reason, decided_at = %(now)s
    FROM (
        SELECT p.id, s.reason
        FROM fact_proposals p
        CROSS JOIN LATERAL (
            SELECT CASE
                WHEN m.valid_to IS NOT NULL AND """
    + _SUPERSEDED
    + """ THEN 'superseded'
                WHEN m.valid_to IS NOT NULL OR m.status <> 'active' THEN 'not_live'
                WHEN EXISTS (
                    SELECT FROM facts f WHERE f.tenant_id = %(tenant_id)s AND f.memory_id = m.id
                      AND f.subject = p.subject AND f.predicate = p.predicate AND f.value = p.value
                      AND f.status = 'active' AND (f.valid_to IS NULL OR f.valid_to > %(now)s)
                      AND f.valid_from = coalesce(p.valid_from, f.valid_from)) THEN 'already_recorded'
            END AS reason
            FROM memories m WHERE m.tenant_id = %(tenant_id)s AND m.id = p.memory_id
        ) s
        WHERE p.tenant_id = %(tenant_id)s AND p.status = 'proposed' AND s.reason IS NOT NULL
          AND (%(proposal_id)s::uuid IS NULL OR p.id = %(proposal_id)s)
        FOR UPDATE OF p SKIP LOCKED
    ) stale
    WHERE p.tenant_id = %(tenant_id)s AND p.id = stale.id
    RETURNING p.reason
    """,
)
_EDGES: LiteralString = """
    SELECT p.id, p.from_id, p.to_id, left(f.topic, %(topic_chars)s + 1) AS from_topic,
           left(t.topic, %(topic_chars)s + 1) AS to_topic, f.memory_type AS from_type, t.memory_type AS to_type,
           p.edge_type, p.memory_type, p.similarity, p.rationale, p.status, p.reason, p.decided_at, p.created_at
    FROM consolidation_proposals p
    JOIN memories f ON f.tenant_id = %(tenant_id)s AND f.id = p.from_id
    JOIN memories t ON t.tenant_id = %(tenant_id)s AND t.id = p.to_id
    WHERE p.tenant_id = %(tenant_id)s"""
_FACTS: LiteralString = """
    SELECT p.id, p.memory_id, left(m.topic, %(topic_chars)s + 1) AS topic, p.subject, p.predicate, p.value,
           p.memory_type, p.confidence, p.valid_from, p.valid_to, p.rationale, p.status, p.reason, p.fact_id,
           p.decided_at, p.created_at
    FROM fact_proposals p
    JOIN memories m ON m.tenant_id = %(tenant_id)s AND m.id = p.memory_id
    WHERE p.tenant_id = %(tenant_id)s"""
_PAGE: LiteralString = """ AND p.status = %(status)s
      AND (p.created_at, p.id) < (%(after_created_at)s::timestamptz, %(after_id)s::uuid)
    ORDER BY p.created_at DESC, p.id DESC LIMIT %(fetch)s"""
_ONE: LiteralString = " AND p.id = %(proposal_id)s"

EDGE_PAGE = tenant_statement("edge_proposals_page", _EDGES + _PAGE)
FACT_PAGE = tenant_statement("fact_proposals_page", _FACTS + _PAGE)
EDGE_PROPOSAL = tenant_statement("edge_proposal", _EDGES + _ONE)
FACT_PROPOSAL = tenant_statement("fact_proposal", _FACTS + _ONE)

OPEN_EDGE = tenant_statement(
    "open_edge_proposal",
    """
    SELECT p.from_id, p.to_id, p.edge_type FROM consolidation_proposals p
    WHERE p.tenant_id = %(tenant_id)s AND p.id = %(proposal_id)s AND p.status = 'proposed'
    FOR UPDATE
    """,
)
OPEN_FACT = tenant_statement(
    "open_fact_proposal",
    """
    SELECT p.memory_id, p.subject, p.predicate, p.value, p.confidence, p.valid_from, p.valid_to FROM fact_proposals p
    WHERE p.tenant_id = %(tenant_id)s AND p.id = %(proposal_id)s AND p.status = 'proposed'
    FOR UPDATE
    """,
)
APPLIED_EDGE = tenant_statement(
    "applied_edge_proposal",
    """
    SELECT p.from_id, p.to_id, p.edge_type, p.edge_id, p.commitment_status, p.decided_at
    FROM consolidation_proposals p
    WHERE p.tenant_id = %(tenant_id)s AND p.id = %(proposal_id)s AND p.status = 'applied'
    FOR UPDATE
    """,
)
REJECT_EDGE = tenant_statement(
    "reject_edge_proposal",
    """
    UPDATE consolidation_proposals SET status = 'rejected', reason = 'declined', decided_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(proposal_id)s AND status = 'proposed'
    RETURNING id
    """,
)
REJECT_FACT = tenant_statement(
    "reject_fact_proposal",
    """
    UPDATE fact_proposals SET status = 'rejected', reason = 'declined', decided_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(proposal_id)s AND status = 'proposed'
    RETURNING id
    """,
)
APPLY_EDGE = tenant_statement(
    "apply_edge_proposal",
    """
    UPDATE consolidation_proposals
    SET status = 'applied', edge_type = %(edge_type)s, edge_id = %(edge_id)s,
        commitment_status = %(commitment_status)s, decided_at = %(at)s
    WHERE tenant_id = %(tenant_id)s AND id = %(proposal_id)s
    """,
)
APPLY_FACT = tenant_statement(
    "apply_fact_proposal",
    """
    UPDATE fact_proposals SET status = 'applied', fact_id = %(fact_id)s, decided_at = %(at)s
    WHERE tenant_id = %(tenant_id)s AND id = %(proposal_id)s
    """,
)
UNDO_EDGE = tenant_statement(
    "undo_edge_proposal",
    """
    UPDATE consolidation_proposals SET status = 'rejected', reason = 'undone', decided_at = %(at)s
    WHERE tenant_id = %(tenant_id)s AND id = %(proposal_id)s
    """,
)
