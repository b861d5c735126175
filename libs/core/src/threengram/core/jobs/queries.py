"""Statements on job runs. All go through functions of the sweeper, since a run may belong to no tenant."""

from threengram.core.db.statement import Statement

ENQUEUE = Statement(
    "enqueue_jobs",
    """
    SELECT id, tenant_id
    FROM sweep_enqueue_jobs(%(ids)s::uuid[], %(tenant_ids)s::uuid[], %(kind)s, %(queue)s, %(max_attempts)s::smallint,
                            %(now)s, %(scheduled_at)s, %(slot)s, %(traceparent)s)
    """,
)
CLAIM = Statement(
    "claim_job",
    """
    SELECT id, tenant_id, kind, attempts, max_attempts, slot, counts, traceparent, is_cancel_asked, is_erased
    FROM sweep_claim_job(%(queue)s, %(kinds)s::text[], %(now)s, %(lease_until)s, %(lease_token)s)
    """,
)
HEARTBEAT = Statement(
    "job_heartbeat",
    """
    SELECT is_cancel_asked
    FROM sweep_job_heartbeat(%(run_id)s, %(lease_token)s, %(now)s, %(lease_until)s, %(counts)s)
    """,
)
END_ATTEMPT = Statement(
    "end_attempt",
    """
    SELECT state
    FROM sweep_end_attempt(%(run_id)s, %(lease_token)s, %(state)s, %(outcome)s, %(attempts)s::smallint, %(now)s,
                           %(scheduled_at)s, %(counts)s, %(error_class)s)
    """,
)
CANCEL = Statement("cancel_job", "SELECT state FROM sweep_cancel_job(%(run_id)s, %(now)s)")
RETRY = Statement("retry_job", "SELECT state FROM sweep_retry_job(%(run_id)s, %(now)s)")
RUNS = Statement(
    "job_runs",
    """
    SELECT id, tenant_id, kind, queue, state, attempts, max_attempts, enqueued_at, scheduled_at, started_at,
           heartbeat_at, finished_at, cancel_asked_at, outcome, counts, error_class
    FROM sweep_jobs(%(run_id)s, %(kind)s, %(run_tenant_id)s, %(states)s::text[], %(before)s, %(limit)s)
    """,
)
FIGURES = Statement(
    "job_figures",
    "SELECT queue, kind, waiting, running, failed, oldest_enqueued_at FROM sweep_job_figures(%(now)s)",
)
EMBEDDING_LEASES = Statement("embedding_leases", "SELECT sweep_embedding_leases(%(now)s) AS total")
ACTIVE_TENANTS = Statement("active_tenants", "SELECT tenant_id FROM sweep_active_tenants(%(after)s, %(limit)s)")
