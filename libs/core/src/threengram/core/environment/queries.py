"""Statements that count a tenant's memories."""

from threengram.core.db.statement import tenant_statement

MEMORY_COUNTS = tenant_statement(
    "memory_counts",
    """
    SELECT memory_type, status, valid_to IS NULL AS is_open,
           valid_to IS NOT NULL AND memory_type = 'blocker' AND status = 'archived' AS is_resolved, count(*) AS count
    FROM memories WHERE tenant_id = %(tenant_id)s
    GROUP BY 1, 2, 3, 4
    """,
)
COMMITMENT_COUNTS = tenant_statement(
    "commitment_counts",
    "SELECT status, count(*) AS count FROM commitments WHERE tenant_id = %(tenant_id)s GROUP BY status",
)
OPEN_FACTS = tenant_statement(
    "open_facts",
    """
    SELECT count(*) AS count FROM facts
    WHERE tenant_id = %(tenant_id)s AND status = 'active' AND valid_from <= %(now)s
      AND (valid_to IS NULL OR valid_to > %(now)s)
    """,
)
PENDING_EMBEDDINGS = tenant_statement(
    "pending_embeddings",
    "SELECT count(*) AS count FROM embedding_jobs j JOIN embedding_models g ON g.id = j.model_id AND g.state = 'active'"
    " WHERE j.tenant_id = %(tenant_id)s",
)
