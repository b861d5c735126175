"""The queue of job runs, what they purge and erase, and the count of metered calls.

deploy: pre

A run without a tenant belongs to nobody's rows, so all of them are reached through functions of the sweeper. Words are
erased by functions of `tg_eraser`, which has no policy of its own: it sees the bound tenant's rows like everybody else.
"""

from alembic import op

from threengram.migrations.ddl import check_enum, isolate
from threengram.schema.enums import JobOutcome, MeteredOperation

revision = "0011"
down_revision = "0010"

MARK = "[erased]"
ERASED = f"'{MARK}'"
REDACTIONS = {
    "memories": f"topic = {ERASED}, content = {ERASED}, content_chars = {len(MARK)}, scope = 'erased',"
    " project = NULL, tags = '{}', content_hash = sha256(uuid_send(r.id))",
    "memory_events": "details = '{}'",
    "facts": f"subject = {ERASED}, predicate = {ERASED}, value = {ERASED}, confidence = NULL",
    "commitments": "owner = NULL, recurrence = NULL, recurs_from = NULL",
    "consolidation_proposals": "rationale = NULL",
    # The claim of a memory stays unique, hence the id in it.
    "fact_proposals": f"subject = {ERASED}, predicate = {ERASED}, value = r.id::text, rationale = NULL,"
    " confidence = NULL",
    "agent_sessions": f"agent = {ERASED}, session_key = r.id::text, project = NULL, scope = NULL",
    "audit_log": "details = '{}'",
    "users": "email = 'erased-' || r.id || '@erased.invalid', password_hash = NULL",
}
"""What becomes of the words in each table whose rows keep their identity."""

CREDENTIALS = ("oauth_tokens", "oauth_codes", "oauth_families", "oauth_grants", "user_sessions", "api_keys")
"""Rows that go altogether, each before those that it refers to."""


def upgrade() -> None:
    """Give a run its lease's token, its slot in the schedule and its bounds; create the functions around them."""
    _widen_runs()
    _queue_runs()
    _end_runs()
    _show_runs()
    _list_tenants()
    _purge()
    _count_metered_calls()
    _erase()


def _widen_runs() -> None:
    """One live run per kind and tenant, and one run per kind, tenant and slot of a schedule."""
    op.execute(f"""
    ALTER TABLE job_runs
        ADD COLUMN max_attempts smallint NOT NULL DEFAULT 5,
        ADD COLUMN slot timestamptz,
        ADD COLUMN lease_token uuid,
        ADD COLUMN cancel_asked_at timestamptz,
        ADD COLUMN enqueued_at timestamptz NOT NULL DEFAULT now(),
        ADD CONSTRAINT job_runs_outcome_check {check_enum("outcome", JobOutcome)},
        ADD CONSTRAINT job_runs_leased CHECK (state <> 'running' OR num_nulls(lease_until, lease_token) = 0);
    CREATE UNIQUE INDEX job_runs_live ON job_runs (tenant_id, kind) NULLS NOT DISTINCT
        WHERE state IN ('queued', 'running');
    CREATE UNIQUE INDEX job_runs_slot ON job_runs (tenant_id, kind, slot) NULLS NOT DISTINCT WHERE slot IS NOT NULL;
    CREATE INDEX job_runs_failed ON job_runs (queue, kind) WHERE state = 'failed';
    CREATE INDEX job_runs_finished ON job_runs (finished_at) WHERE finished_at IS NOT NULL;
    """)


def _queue_runs() -> None:
    """Enqueue for many tenants at once, claim one, keep it."""
    op.execute("""
    CREATE FUNCTION sweep_enqueue_jobs(
        p_ids uuid[], p_tenants uuid[], p_kind text, p_queue text, p_max_attempts smallint, p_now timestamptz,
        p_scheduled_at timestamptz, p_slot timestamptz, p_traceparent text
    )
    RETURNS TABLE (id uuid, tenant_id uuid)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        INSERT INTO public.job_runs AS j
            (id, tenant_id, kind, queue, state, max_attempts, scheduled_at, enqueued_at, slot, traceparent)
        SELECT n.id, n.tenant_id, p_kind, p_queue, 'queued', p_max_attempts, p_scheduled_at, p_now, p_slot,
               p_traceparent
        FROM unnest(p_ids, p_tenants) AS n (id, tenant_id)
        ON CONFLICT DO NOTHING
        RETURNING j.id, j.tenant_id
    $$;
    CREATE FUNCTION sweep_claim_job(
        p_queue text, p_kinds text[], p_now timestamptz, p_lease_until timestamptz, p_lease_token uuid
    )
    RETURNS TABLE (id uuid, tenant_id uuid, kind text, attempts smallint, max_attempts smallint, slot timestamptz,
                   counts jsonb, traceparent text, is_cancel_asked boolean, is_erased boolean)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        UPDATE public.job_runs j
        SET state = 'running', attempts = j.attempts + 1, started_at = coalesce(j.started_at, p_now),
            heartbeat_at = p_now, lease_until = p_lease_until, lease_token = p_lease_token
        FROM (
            SELECT d.id
            FROM public.job_runs d
            WHERE d.queue = p_queue AND d.kind = ANY(p_kinds) AND d.state IN ('queued', 'running')
              AND d.scheduled_at <= p_now AND (d.state = 'queued' OR d.lease_until <= p_now)
            ORDER BY d.scheduled_at
            LIMIT 1
            FOR UPDATE SKIP LOCKED
        ) due
        WHERE j.id = due.id
        RETURNING j.id, j.tenant_id, j.kind, j.attempts, j.max_attempts, j.slot, j.counts, j.traceparent,
                  j.cancel_asked_at IS NOT NULL,
                  EXISTS (SELECT FROM public.tenants t WHERE t.id = j.tenant_id AND t.status = 'erased')
    $$;
    CREATE FUNCTION sweep_job_heartbeat(
        p_id uuid, p_lease_token uuid, p_now timestamptz, p_lease_until timestamptz, p_counts jsonb
    )
    RETURNS TABLE (is_cancel_asked boolean)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        UPDATE public.job_runs j
        SET heartbeat_at = p_now, lease_until = p_lease_until, counts = p_counts
        WHERE j.id = p_id AND j.lease_token = p_lease_token AND j.state = 'running'
        RETURNING j.cancel_asked_at IS NOT NULL
    $$;
    """)


def _end_runs() -> None:
    """An attempt ends by its own worker only; people cancel, and bring back what is dead."""
    op.execute("""
    CREATE FUNCTION sweep_end_attempt(
        p_id uuid, p_lease_token uuid, p_state text, p_outcome text, p_attempts smallint, p_now timestamptz,
        p_scheduled_at timestamptz, p_counts jsonb, p_error_class text
    )
    RETURNS TABLE (state text)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        UPDATE public.job_runs j
        SET state = e.state, outcome = CASE WHEN e.state = 'cancelled' THEN 'cancelled' ELSE p_outcome END,
            finished_at = CASE WHEN e.state <> 'queued' THEN p_now END, scheduled_at = p_scheduled_at,
            attempts = p_attempts, counts = p_counts, error_class = p_error_class, lease_until = NULL,
            lease_token = NULL, enqueued_at = CASE WHEN p_outcome = 'again' THEN p_now ELSE j.enqueued_at END
        FROM (SELECT d.id, CASE WHEN p_state = 'queued' AND d.cancel_asked_at IS NOT NULL THEN 'cancelled'
                                ELSE p_state END AS state
              FROM public.job_runs d WHERE d.id = p_id FOR UPDATE) e
        WHERE j.id = e.id AND j.lease_token = p_lease_token AND j.state = 'running'
        RETURNING j.state
    $$;
    CREATE FUNCTION sweep_cancel_job(p_id uuid, p_now timestamptz)
    RETURNS TABLE (state text)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        UPDATE public.job_runs j
        SET cancel_asked_at = p_now,
            state = CASE WHEN j.state = 'queued' THEN 'cancelled' ELSE j.state END,
            outcome = CASE WHEN j.state = 'queued' THEN 'cancelled' ELSE j.outcome END,
            finished_at = CASE WHEN j.state = 'queued' THEN p_now END
        WHERE j.id = p_id AND j.state IN ('queued', 'running')
        RETURNING j.state
    $$;
    CREATE FUNCTION sweep_retry_job(p_id uuid, p_now timestamptz)
    RETURNS TABLE (state text)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        UPDATE public.job_runs j
        SET state = 'queued', attempts = 0, scheduled_at = p_now, finished_at = NULL, cancel_asked_at = NULL
        WHERE j.id = p_id AND j.state IN ('failed', 'cancelled')
        RETURNING j.state
    $$;
    """)


def _show_runs() -> None:
    """Runs for people, figures for autoscaling and alerts."""
    op.execute("""
    CREATE FUNCTION sweep_jobs(p_id uuid, p_kind text, p_tenant uuid, p_states text[], p_before uuid, p_limit integer)
    RETURNS SETOF public.job_runs
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT * FROM public.job_runs j
        WHERE (p_id IS NULL OR j.id = p_id) AND (p_kind IS NULL OR j.kind = p_kind)
          AND (p_tenant IS NULL OR j.tenant_id = p_tenant) AND (p_states IS NULL OR j.state = ANY(p_states))
          AND (p_before IS NULL OR j.id < p_before)
        ORDER BY j.id DESC LIMIT p_limit
    $$;
    CREATE FUNCTION sweep_job_figures(p_now timestamptz)
    RETURNS TABLE (queue text, kind text, waiting bigint, running bigint, failed bigint, oldest_enqueued_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT l.queue, l.kind, count(*) FILTER (WHERE l.is_due), count(*) FILTER (WHERE l.is_running),
               count(*) FILTER (WHERE l.is_failed), min(l.enqueued_at) FILTER (WHERE l.is_due)
        FROM (
            SELECT j.queue, j.kind, j.enqueued_at, false AS is_failed,
                   j.state = 'running' AND j.lease_until > p_now AS is_running,
                   j.scheduled_at <= p_now AND (j.state = 'queued' OR j.lease_until <= p_now) AS is_due
            FROM public.job_runs j WHERE j.state IN ('queued', 'running')
            UNION ALL
            SELECT j.queue, j.kind, j.enqueued_at, true, false, false FROM public.job_runs j WHERE j.state = 'failed'
        ) l
        GROUP BY l.queue, l.kind
    $$;
    CREATE FUNCTION sweep_embedding_leases(p_now timestamptz)
    RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT count(*) FROM public.embedding_jobs j WHERE j.lease_until > p_now
    $$;
    """)


def _list_tenants() -> None:
    """Pages of tenants that may have work, in the order of their ids."""
    op.execute("""
    CREATE FUNCTION sweep_active_tenants(p_after uuid, p_limit integer)
    RETURNS TABLE (tenant_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT t.id FROM public.tenants t
        WHERE t.status = 'active' AND (p_after IS NULL OR t.id > p_after)
        ORDER BY t.id LIMIT p_limit
    $$;
    CREATE FUNCTION sweep_tenants_with_due_commitments(
        p_now timestamptz, p_expired_before timestamptz, p_after uuid, p_limit integer
    )
    RETURNS TABLE (tenant_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT t.id FROM public.tenants t
        WHERE t.status = 'active' AND (p_after IS NULL OR t.id > p_after)
          AND EXISTS (
              SELECT FROM public.commitments c
              JOIN public.memories m ON m.tenant_id = c.tenant_id AND m.id = c.memory_id
              WHERE c.tenant_id = t.id AND c.status IN ('open', 'waiting') AND c.due_at <= p_now
                AND (c.due_at < p_expired_before OR coalesce(c.next_surfacing_at, c.due_at) <= p_now)
                AND m.status = 'active' AND m.valid_to IS NULL)
        ORDER BY t.id LIMIT p_limit
    $$;
    """)


def _purge() -> None:
    """Each deletes at most p_limit rows and returns how many, so that a job repeats it until few are left."""
    op.execute("""
    CREATE FUNCTION sweep_job_runs(p_ended_before timestamptz, p_failed_before timestamptz, p_limit integer)
    RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        WITH gone AS (
            DELETE FROM public.job_runs j USING (
                SELECT d.id FROM public.job_runs d
                WHERE d.finished_at < CASE WHEN d.state = 'failed' THEN p_failed_before ELSE p_ended_before END
                LIMIT p_limit
            ) due WHERE j.id = due.id
            RETURNING 1
        ) SELECT count(*) FROM gone
    $$;
    CREATE FUNCTION sweep_user_sessions(p_before timestamptz, p_limit integer)
    RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        WITH gone AS (
            DELETE FROM public.user_sessions s USING (
                SELECT d.tenant_id, d.id FROM public.user_sessions d
                WHERE least(d.expires_at, d.revoked_at) < p_before LIMIT p_limit
            ) due WHERE s.tenant_id = due.tenant_id AND s.id = due.id
            RETURNING 1
        ) SELECT count(*) FROM gone
    $$;
    """)


def _count_metered_calls() -> None:
    """One row a tenant, operation and day (UTC)."""
    op.execute(f"""
    CREATE TABLE metered_calls (
        tenant_id uuid NOT NULL REFERENCES tenants (id),
        operation text NOT NULL {check_enum("operation", MeteredOperation)},
        day date NOT NULL,
        calls bigint NOT NULL DEFAULT 0,
        input_tokens bigint NOT NULL DEFAULT 0,
        output_tokens bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant_id, operation, day)
    ) WITH (fillfactor = 80);
    """)
    isolate("metered_calls")
    op.execute("""
    CREATE FUNCTION sweep_metered_calls(p_before date, p_limit integer)
    RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        WITH gone AS (
            DELETE FROM public.metered_calls m USING (
                SELECT d.tenant_id, d.operation, d.day FROM public.metered_calls d WHERE d.day < p_before LIMIT p_limit
            ) due WHERE m.tenant_id = due.tenant_id AND m.operation = due.operation AND m.day = due.day
            RETURNING 1
        ) SELECT count(*) FROM gone
    $$;
    """)


def _erase() -> None:
    """Redact a page of one table, for the tenant that is bound, if it is marked as erased; the last id of the page."""
    changes = {table: ("UPDATE", f"SET {words} FROM page") for table, words in REDACTIONS.items()}
    changes |= dict.fromkeys(CREDENTIALS, ("DELETE FROM", "USING page"))
    branches = "".join(_branch(table, *change) for table, change in changes.items())
    op.execute(f"""
    CREATE FUNCTION erase_rows(p_table text, p_after uuid, p_limit integer) RETURNS uuid
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE
        bound uuid := NULLIF(current_setting('app.tenant_id', true), '')::uuid;
        last_id uuid;
    BEGIN
        PERFORM FROM public.tenants t WHERE t.id = bound AND t.status = 'erased';
        IF NOT FOUND THEN
            RAISE EXCEPTION 'not_erased' USING ERRCODE = 'insufficient_privilege';
        END IF;
        CASE p_table
        WHEN 'tenants' THEN
            UPDATE public.tenants t SET name = {ERASED} WHERE t.id = bound;
        {branches}
        END CASE;
        RETURN last_id;
    END $$;
    """)  # noqa: S608 - names of this file


def _branch(table: str, verb: str, rest: str) -> str:
    return f"""
        WHEN '{table}' THEN
            WITH page AS (
                SELECT d.id FROM public.{table} d
                WHERE d.tenant_id = bound AND (p_after IS NULL OR d.id > p_after) ORDER BY d.id LIMIT p_limit
            ), changed AS ({verb} public.{table} r {rest} WHERE r.tenant_id = bound AND r.id = page.id)
            SELECT page.id INTO last_id FROM page ORDER BY page.id DESC LIMIT 1;"""  # noqa: S608 - names of this file
