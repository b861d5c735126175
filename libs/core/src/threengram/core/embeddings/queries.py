"""Statements on vectors and the rows that say which are missing."""

from threengram.core.db.statement import Statement, tenant_statement

INSERT_EMBEDDINGS = tenant_statement(
    "insert_embeddings",
    """
    INSERT INTO memory_embeddings (tenant_id, memory_id, model_id, window_no, window_count, omitted_windows, embedding)
    SELECT %(tenant_id)s, %(memory_id)s, %(model_id)s, v.window_no, %(window_count)s, %(omitted_windows)s, v.embedding
    FROM unnest(%(window_nos)s::smallint[], %(vectors)s::halfvec[]) AS v (window_no, embedding)
    WHERE EXISTS (SELECT FROM embedding_models g WHERE g.id = %(model_id)s AND g.state <> 'retired')
    ON CONFLICT (tenant_id, memory_id, model_id, window_no) DO NOTHING
    """,
    keeps_plan=True,
)
INSERT_JOB = tenant_statement(
    "insert_embedding_job",
    """
    INSERT INTO embedding_jobs (tenant_id, memory_id, model_id, next_attempt_at, traceparent, enqueued_at)
    SELECT %(tenant_id)s, %(memory_id)s, m.id, %(now)s, %(traceparent)s, %(now)s
    FROM embedding_models m
    WHERE m.state IN ('active', 'building') AND m.id IS DISTINCT FROM %(complete_model_id)s::smallint
    """,
    keeps_plan=True,
)
CLAIM_JOBS = Statement(
    "claim_embedding_jobs",
    """
    SELECT tenant_id, memory_id, attempts, traceparent
    FROM sweep_claim_embedding_jobs(%(model_id)s::smallint, %(limit)s, %(now)s, %(lease_until)s, %(lease_token)s)
    """,
)
BACKLOG = Statement("embedding_backlog", "SELECT model_id, waiting, oldest_enqueued_at FROM sweep_embedding_backlog()")
SERVING_MODELS = Statement(
    "serving_models",
    "SELECT id, name, dimensions, is_metered, state FROM embedding_models WHERE state IN ('active', 'building')",
)
PENDING_TEXT = tenant_statement(
    "pending_text",
    """
    SELECT m.id, m.topic, m.content
    FROM embedding_jobs j
    JOIN memories m ON m.tenant_id = j.tenant_id AND m.id = j.memory_id
    WHERE j.tenant_id = %(tenant_id)s AND j.memory_id = %(memory_id)s AND j.model_id = %(model_id)s
      AND j.lease_token = %(lease_token)s
    """,
)
DELETE_JOB = tenant_statement(
    "delete_embedding_job",
    """
    DELETE FROM embedding_jobs
    WHERE tenant_id = %(tenant_id)s AND memory_id = %(memory_id)s AND model_id = %(model_id)s
    """,
)
POSTPONE_JOB = tenant_statement(
    "postpone_embedding_job",
    """
    UPDATE embedding_jobs
    SET lease_until = NULL, lease_token = NULL, next_attempt_at = %(next_attempt_at)s, error_class = %(error_class)s,
        attempts = attempts - %(refund)s
    WHERE tenant_id = %(tenant_id)s AND memory_id = %(memory_id)s AND model_id = %(model_id)s
      AND lease_token = %(lease_token)s
    """,
)
