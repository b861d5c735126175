"""Statements on credentials, standing and policy."""

from threengram.core.db.statement import Statement, tenant_statement

PUBLISHED_KEYS = Statement(
    "published_keys", "SELECT kid, public_jwk FROM signing_keys WHERE state IN ('next', 'active', 'retiring')"
)

ADMISSION = tenant_statement(
    "admission",
    """
    SELECT t.status AS tenant_status,
           u.status AS user_status,
           (SELECT true FROM oauth_tokens k
            WHERE k.tenant_id = %(tenant_id)s AND k.id = %(credential_id)s AND k.user_id = u.id
              AND k.kind = 'access' AND k.revoked_at IS NULL AND k.expires_at > %(now)s
            UNION ALL
            SELECT true FROM api_keys a
            WHERE a.tenant_id = %(tenant_id)s AND a.id = %(credential_id)s AND a.user_id = u.id
              AND a.revoked_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > %(now)s)
            UNION ALL
            SELECT true FROM user_sessions s
            WHERE s.tenant_id = %(tenant_id)s AND s.id = %(credential_id)s AND s.user_id = u.id
              AND s.revoked_at IS NULL AND s.expires_at > %(now)s
            LIMIT 1) AS credential_stands,
           c.memory_count,
           coalesce(p.mode, 'off') AS policy_mode,
           p.scope AS policy_scope,
           m.id AS model_id, m.name AS model_name, m.dimensions AS model_dimensions, m.calibration AS model_calibration,
           (SELECT jsonb_object_agg(alias, s.name) FROM scopes s, unnest(s.aliases) alias
            WHERE s.tenant_id = %(tenant_id)s) AS aliases,
           (SELECT jsonb_object_agg(sm.project, sm.scope) FROM scope_mappings sm
            WHERE sm.tenant_id = %(tenant_id)s) AS mappings
    FROM tenants t
    JOIN tenant_counters c ON c.tenant_id = t.id
    JOIN users u ON u.tenant_id = t.id AND u.id = %(user_id)s
    LEFT JOIN retrieval_policies p ON p.tenant_id = t.id
    LEFT JOIN embedding_models m ON m.state = 'active'
    WHERE t.id = %(tenant_id)s
    """,
    keeps_plan=True,
)

INSERT_TENANT = tenant_statement(
    "insert_tenant", "INSERT INTO tenants (id, name, created_at) VALUES (%(tenant_id)s, %(name)s, %(now)s)"
)
INSERT_COUNTERS = tenant_statement("insert_counters", "INSERT INTO tenant_counters (tenant_id) VALUES (%(tenant_id)s)")
INSERT_USER = tenant_statement(
    "insert_user",
    """
    INSERT INTO users (tenant_id, id, email, created_at, updated_at)
    VALUES (%(tenant_id)s, %(user_id)s, %(email)s, %(now)s, %(now)s)
    """,
)
INSERT_SCOPES = tenant_statement(
    "insert_scopes",
    """
    INSERT INTO scopes (tenant_id, id, name, created_at)
    SELECT %(tenant_id)s, unnest(%(ids)s::uuid[]), unnest(%(names)s::text[]), %(now)s
    """,
)
INSERT_ACCESS_TOKEN = tenant_statement(
    "insert_access_token",
    """
    INSERT INTO oauth_tokens (tenant_id, id, user_id, kind, scopes, audience, issued_at, expires_at)
    VALUES (%(tenant_id)s, %(token_id)s, %(user_id)s, 'access', %(scopes)s, %(audience)s, %(now)s, %(expires_at)s)
    """,
)
USER_BY_EMAIL = Statement("user_by_email", "SELECT tenant_id, user_id, status FROM auth_user_by_email(%(email)s)")

LOCK_USER = tenant_statement(
    "lock_user", "SELECT id FROM users WHERE tenant_id = %(tenant_id)s AND id = %(user_id)s FOR UPDATE"
)
LOGIN_STANDS = tenant_statement(
    "login_stands",
    """
    SELECT id FROM user_sessions
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND id = %(session_id)s AND revoked_at IS NULL
    """,
)
INSERT_API_KEY = tenant_statement(
    "insert_api_key",
    """
    INSERT INTO api_keys (tenant_id, id, user_id, name, prefix, key_hash, scopes, created_at, expires_at)
    SELECT %(tenant_id)s, %(key_id)s, %(user_id)s, %(name)s, %(prefix)s, %(key_hash)s, %(scopes)s, %(now)s,
           %(expires_at)s
    WHERE (SELECT count(*) FROM api_keys
           WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND revoked_at IS NULL
             AND (expires_at IS NULL OR expires_at > %(now)s)) < %(max_live)s
    RETURNING id
    """,
)
API_KEYS = tenant_statement(
    "api_keys",
    """
    SELECT id, name, prefix, scopes, created_at, expires_at, last_used_at, revoked_at
    FROM api_keys WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s
    ORDER BY created_at DESC, id DESC
    """,
)
REVOKE_API_KEY = tenant_statement(
    "revoke_api_key",
    """
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, %(now)s)
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND id = %(key_id)s
    RETURNING id
    """,
)
RECORD_KEY_ACTION = tenant_statement(
    "record_key_action",
    """
    INSERT INTO audit_log (tenant_id, id, actor_kind, action, subject_id, recorded_at)
    SELECT k.tenant_id, %(audit_id)s, %(actor)s, %(action)s, k.id, %(now)s FROM api_keys k
    WHERE k.tenant_id = %(tenant_id)s AND k.id = %(key_id)s AND k.user_id = %(user_id)s
      AND %(now)s IN (k.created_at, k.revoked_at)
    """,
)
TOUCH_API_KEY = tenant_statement(
    "touch_api_key",
    """
    UPDATE api_keys SET last_used_at = greatest(last_used_at, %(used_at)s)
    WHERE tenant_id = %(tenant_id)s AND id = %(key_id)s AND revoked_at IS NULL
    """,
)
RESOLVE_API_KEY = Statement(
    "resolve_api_key",
    "SELECT tenant_id, user_id, key_id, scopes, expires_at FROM auth_resolve_api_key(%(key_hash)s)",
)
