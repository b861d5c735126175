"""Statements on accounts and their login sessions."""

from threengram.core.db.statement import Statement, tenant_statement

CREDENTIALS = tenant_statement(
    "credentials",
    """
    SELECT u.password_hash, u.status AS user_status, t.status AS tenant_status
    FROM users u JOIN tenants t ON t.id = u.tenant_id
    WHERE u.tenant_id = %(tenant_id)s AND u.id = %(user_id)s
    """,
)
SET_PASSWORD = tenant_statement(
    "set_password",
    """
    UPDATE users SET password_hash = %(password_hash)s, updated_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(user_id)s
    """,
)
REHASH_PASSWORD = tenant_statement(
    "rehash_password",
    """
    UPDATE users SET password_hash = %(password_hash)s, updated_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(user_id)s AND password_hash = %(former_hash)s
    RETURNING id
    """,
)
REPLACE_PASSWORD = tenant_statement(
    "replace_password",
    """
    UPDATE users SET password_hash = %(password_hash)s, updated_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(user_id)s AND password_hash IS NOT DISTINCT FROM %(former_hash)s
    RETURNING id
    """,
)
SET_STATUS = tenant_statement(
    "set_user_status",
    """
    UPDATE users SET status = %(status)s, updated_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(user_id)s AND status <> 'erased'
    RETURNING id
    """,
)
SET_TENANT_STATUS = tenant_statement(
    "set_tenant_status",
    """
    UPDATE tenants SET status = %(status)s WHERE id = %(tenant_id)s AND status IN ('active', 'suspended') RETURNING id
    """,
)
SESSION_BY_HASH = Statement(
    "session_by_hash", "SELECT tenant_id, user_id, session_id FROM auth_session_by_hash(%(token_hash)s)"
)
TOUCH_SESSION = tenant_statement(
    "touch_session",
    """
    UPDATE user_sessions SET last_seen_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(session_id)s AND last_seen_at < %(touched_before)s
    """,
)
LIVE_SESSION = tenant_statement(
    "live_session",
    """
    SELECT s.expires_at, u.email, t.status = 'suspended' AS is_suspended
    FROM user_sessions s
    JOIN users u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
    JOIN tenants t ON t.id = s.tenant_id
    WHERE s.tenant_id = %(tenant_id)s AND s.id = %(session_id)s AND s.user_id = %(user_id)s
      AND s.revoked_at IS NULL AND s.expires_at > %(now)s AND u.status = 'active'
      AND t.status IN ('active', 'suspended')
    """,
)
INSERT_SESSION = tenant_statement(
    "insert_session",
    """
    INSERT INTO user_sessions (tenant_id, id, user_id, token_hash, created_at, last_seen_at, expires_at)
    SELECT u.tenant_id, %(session_id)s, u.id, %(token_hash)s, %(now)s, %(now)s, %(expires_at)s
    FROM users u
    WHERE u.tenant_id = %(tenant_id)s AND u.id = %(user_id)s AND u.status = 'active'
      AND u.password_hash = %(password_hash)s
    FOR SHARE
    RETURNING id
    """,
)
DELETE_ENDED_SESSIONS = tenant_statement(
    "delete_ended_sessions",
    """
    DELETE FROM user_sessions
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND (revoked_at IS NOT NULL OR expires_at <= %(now)s)
    """,
)
SESSIONS = tenant_statement(
    "login_sessions",
    """
    SELECT id, created_at, last_seen_at, expires_at FROM user_sessions
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND revoked_at IS NULL AND expires_at > %(now)s
    ORDER BY created_at DESC, id DESC
    """,
)
REVOKE_SESSION = tenant_statement(
    "revoke_session",
    """
    UPDATE user_sessions SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND id = %(session_id)s AND revoked_at IS NULL
    RETURNING id
    """,
)
REVOKE_OTHER_SESSIONS = tenant_statement(
    "revoke_other_sessions",
    """
    UPDATE user_sessions SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND id IS DISTINCT FROM %(kept_id)s
      AND revoked_at IS NULL
    RETURNING id
    """,
)
REVOKE_API_KEYS = tenant_statement(
    "revoke_api_keys_of_user",
    """
    UPDATE api_keys SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND revoked_at IS NULL
    """,
)
REVOKE_TOKENS = tenant_statement(
    "revoke_tokens_of_user",
    """
    UPDATE oauth_tokens SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND revoked_at IS NULL
    """,
)
REVOKE_FAMILIES = tenant_statement(
    "revoke_families_of_user",
    """
    UPDATE oauth_families f SET revoked_at = %(now)s
    FROM oauth_grants g
    WHERE g.tenant_id = %(tenant_id)s AND g.user_id = %(user_id)s
      AND f.tenant_id = %(tenant_id)s AND f.grant_id = g.id AND f.revoked_at IS NULL
    """,
)
REVOKE_GRANTS = tenant_statement(
    "revoke_grants_of_user",
    """
    UPDATE oauth_grants SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND revoked_at IS NULL
    """,
)
