"""Statements of an erasure."""

from threengram.core.db.statement import tenant_statement

OTHER_USERS = tenant_statement(
    "other_users",
    """
    SELECT count(*) AS total FROM users
    WHERE tenant_id = %(tenant_id)s AND id <> %(user_id)s AND status <> 'erased'
    """,
)
SHUT_TENANT = tenant_statement(
    "shut_tenant",
    "UPDATE tenants SET status = 'erased' WHERE id = %(tenant_id)s AND status <> 'erased' RETURNING id",
)
SHUT_USERS = tenant_statement(
    "shut_users", "UPDATE users SET status = 'erased', updated_at = %(now)s WHERE tenant_id = %(tenant_id)s"
)
END_SESSIONS = tenant_statement("end_sessions", "DELETE FROM user_sessions WHERE tenant_id = %(tenant_id)s")
REVOKE_KEYS = tenant_statement(
    "revoke_keys",
    "UPDATE api_keys SET revoked_at = %(now)s WHERE tenant_id = %(tenant_id)s AND revoked_at IS NULL",
)
REVOKE_TOKENS = tenant_statement(
    "revoke_tokens",
    "UPDATE oauth_tokens SET revoked_at = %(now)s WHERE tenant_id = %(tenant_id)s AND revoked_at IS NULL",
)
REVOKE_FAMILIES = tenant_statement(
    "revoke_families",
    "UPDATE oauth_families SET revoked_at = %(now)s WHERE tenant_id = %(tenant_id)s AND revoked_at IS NULL",
)
REVOKE_GRANTS = tenant_statement(
    "revoke_grants",
    "UPDATE oauth_grants SET revoked_at = %(now)s WHERE tenant_id = %(tenant_id)s AND revoked_at IS NULL",
)
LIVE_ERASURE = tenant_statement(
    "live_erasure",
    """
    SELECT id FROM job_runs
    WHERE tenant_id = %(tenant_id)s AND kind = %(kind)s ORDER BY id DESC LIMIT 1
    """,
)

BUSY = tenant_statement(
    "busy",
    """
    SELECT EXISTS (SELECT FROM embedding_jobs WHERE tenant_id = %(tenant_id)s AND lease_until > %(now)s)
        OR EXISTS (SELECT FROM job_runs WHERE tenant_id = %(tenant_id)s AND id <> %(run_id)s
                   AND state = 'running' AND lease_until > %(now)s) AS is_busy
    """,
)
DELETE_PENDING = tenant_statement(
    "delete_pending",
    """
    DELETE FROM embedding_jobs
    WHERE tenant_id = %(tenant_id)s AND (lease_until IS NULL OR lease_until <= %(now)s)
    """,
)
ERASE_ROWS = tenant_statement(
    "erase_rows",
    "SELECT erase_rows(%(table)s, %(after)s, %(limit)s) AS last_id, %(tenant_id)s::uuid AS tenant_id",
)
DELETE_VECTORS = tenant_statement(
    "delete_vectors",
    """
    DELETE FROM memory_embeddings
    WHERE tenant_id = %(tenant_id)s AND (memory_id, model_id, window_no) IN (
        SELECT memory_id, model_id, window_no FROM memory_embeddings WHERE tenant_id = %(tenant_id)s LIMIT %(limit)s)
    RETURNING 1
    """,
)
DELETE_TERMS = tenant_statement(
    "delete_terms",
    """
    DELETE FROM memory_terms
    WHERE tenant_id = %(tenant_id)s AND (term, memory_no) IN (
        SELECT term, memory_no FROM memory_terms WHERE tenant_id = %(tenant_id)s LIMIT %(limit)s)
    RETURNING 1
    """,
)
DELETE_TERM_STATS = tenant_statement(
    "delete_term_stats",
    """
    DELETE FROM term_stats
    WHERE tenant_id = %(tenant_id)s AND term IN (
        SELECT term FROM term_stats WHERE tenant_id = %(tenant_id)s LIMIT %(limit)s)
    RETURNING 1
    """,
)
DELETE_SCOPES = tenant_statement(
    "delete_scopes",
    """
    DELETE FROM scopes
    WHERE tenant_id = %(tenant_id)s AND id IN (
        SELECT id FROM scopes WHERE tenant_id = %(tenant_id)s LIMIT %(limit)s)
    RETURNING 1
    """,
)
DELETE_MAPPINGS = tenant_statement(
    "delete_mappings",
    """
    DELETE FROM scope_mappings
    WHERE tenant_id = %(tenant_id)s AND project IN (
        SELECT project FROM scope_mappings WHERE tenant_id = %(tenant_id)s LIMIT %(limit)s)
    RETURNING 1
    """,
)
RESET_POLICY = tenant_statement(
    "reset_policy",
    """
    UPDATE retrieval_policies SET mode = 'off', scope = NULL, updated_at = %(now)s WHERE tenant_id = %(tenant_id)s
    """,
)
