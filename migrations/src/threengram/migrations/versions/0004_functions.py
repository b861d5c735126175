"""The only legal paths across tenants: functions owned by roles that can do nothing else.

deploy: pre

`roles.sql` gives each function its owner and its callers. Names begin with the owner's part of the work: `auth_` is
owned by `tg_resolver`, `sweep_` by `tg_sweeper`.
"""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the definer functions, each with a pinned search_path."""
    op.execute("""
    CREATE FUNCTION auth_resolve_api_key(p_key_hash bytea)
    RETURNS TABLE (tenant_id uuid, user_id uuid, key_id uuid, scopes text[], expires_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT k.tenant_id, k.user_id, k.id, k.scopes, k.expires_at
        FROM public.api_keys k
        WHERE k.key_hash = p_key_hash AND k.revoked_at IS NULL
    $$;
    CREATE FUNCTION auth_user_by_email(p_email text)
    RETURNS TABLE (tenant_id uuid, user_id uuid, status text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT u.tenant_id, u.id, u.status FROM public.users u WHERE lower(u.email) = lower(p_email)
    $$;
    CREATE FUNCTION sweep_claim_embedding_jobs(
        p_model smallint, p_limit integer, p_now timestamptz, p_lease_until timestamptz, p_lease_token uuid
    )
    RETURNS TABLE (tenant_id uuid, memory_id uuid, attempts smallint, traceparent text, enqueued_at timestamptz)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        UPDATE public.embedding_jobs j
        SET lease_until = p_lease_until, lease_token = p_lease_token, attempts = j.attempts + 1
        FROM (
            SELECT d.tenant_id, d.memory_id, d.model_id
            FROM public.embedding_jobs d
            WHERE d.model_id = p_model AND d.next_attempt_at <= p_now
              AND (d.lease_until IS NULL OR d.lease_until <= p_now)
            ORDER BY d.next_attempt_at
            LIMIT p_limit
            FOR UPDATE SKIP LOCKED
        ) due
        WHERE j.tenant_id = due.tenant_id AND j.memory_id = due.memory_id AND j.model_id = due.model_id
        RETURNING j.tenant_id, j.memory_id, j.attempts, j.traceparent, j.enqueued_at
    $$;
    CREATE FUNCTION sweep_embedding_backlog()
    RETURNS TABLE (model_id smallint, waiting bigint, oldest_enqueued_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT j.model_id, count(*), min(j.enqueued_at) FROM public.embedding_jobs j GROUP BY j.model_id
    $$;
    """)
