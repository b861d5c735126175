"""Accounts: what a login, its limits and its sessions need.

deploy: pre
"""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Find a session by the hash of its cookie, and the sessions of a user."""
    op.execute("""
    CREATE INDEX user_sessions_user ON user_sessions (tenant_id, user_id, created_at);
    CREATE FUNCTION auth_session_by_hash(p_token_hash bytea)
    RETURNS TABLE (tenant_id uuid, user_id uuid, session_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT s.tenant_id, s.user_id, s.id FROM public.user_sessions s
        WHERE s.token_hash = p_token_hash AND s.revoked_at IS NULL
    $$;
    """)
