"""Statements on clients, grants, codes and families. The lock of a family's row orders what happens to it."""

from threengram.core.db.statement import Statement, tenant_statement

PUBLISHED_KEYS = Statement(
    "published_key_states",
    """
    SELECT kid, state, public_jwk FROM signing_keys WHERE state IN ('next', 'active', 'retiring')
    ORDER BY created_at DESC, kid
    """,
)

CLIENT = Statement(
    "client",
    """
    SELECT client_id, registration, name, redirect_uris, grant_types, auth_method, secret_hash,
           document_fetched_at, document_expires_at, may_serve_stale
    FROM oauth_clients WHERE client_id = %(client_id)s
    """,
)
UNUSED_CLIENTS = Statement("unused_clients", "SELECT count(*) AS total FROM oauth_clients WHERE last_used_at IS NULL")
INSERT_CLIENT = Statement(
    "insert_client",
    """
    INSERT INTO oauth_clients (client_id, registration, name, redirect_uris, grant_types, auth_method, secret_hash,
                               created_at)
    VALUES (%(client_id)s, 'dynamic', %(name)s, %(redirect_uris)s, %(grant_types)s, %(auth_method)s, %(secret_hash)s,
            %(now)s)
    """,
)
# A registered client keeps its row, whatever a document says under the same identifier.
KEEP_DOCUMENT_CLIENT = Statement(
    "keep_document_client",
    """
    INSERT INTO oauth_clients AS kept (client_id, registration, name, redirect_uris, grant_types, auth_method,
                                       document_fetched_at, document_expires_at, may_serve_stale, created_at)
    VALUES (%(client_id)s, 'document', %(name)s, %(redirect_uris)s, %(grant_types)s, 'none', %(fetched_at)s,
            %(expires_at)s, %(may_serve_stale)s, %(now)s)
    ON CONFLICT (client_id) DO UPDATE
    SET name = excluded.name, redirect_uris = excluded.redirect_uris, grant_types = excluded.grant_types,
        document_fetched_at = excluded.document_fetched_at, document_expires_at = excluded.document_expires_at,
        may_serve_stale = excluded.may_serve_stale
    WHERE kept.registration = 'document' AND kept.document_fetched_at < excluded.document_fetched_at
    """,
)
TOUCH_CLIENT = Statement(
    "touch_client",
    "UPDATE oauth_clients SET last_used_at = greatest(last_used_at, %(now)s) WHERE client_id = %(client_id)s",
)

# Asking again adds to what was granted: the same client may run in several places, each with tokens of its own. No
# row comes of a client that was swept in the moment between.
KEEP_GRANT = tenant_statement(
    "keep_grant",
    """
    INSERT INTO oauth_grants AS kept (tenant_id, id, user_id, client_id, scopes, created_at, last_used_at)
    SELECT %(tenant_id)s, %(grant_id)s, %(user_id)s, c.client_id, %(scopes)s::text[], %(now)s, %(now)s
    FROM (SELECT client_id FROM oauth_clients WHERE client_id = %(client_id)s FOR KEY SHARE) c
    ON CONFLICT (tenant_id, user_id, client_id) WHERE revoked_at IS NULL DO UPDATE
    SET scopes = ARRAY(SELECT DISTINCT unnest(kept.scopes || excluded.scopes) ORDER BY 1),
        last_used_at = greatest(kept.last_used_at, excluded.last_used_at)
    RETURNING id
    """,
)
INSERT_FAMILY = tenant_statement(
    "insert_family",
    """
    INSERT INTO oauth_families (tenant_id, id, grant_id, audience, created_at, expires_at)
    VALUES (%(tenant_id)s, %(family_id)s, %(grant_id)s, %(audience)s, %(now)s, %(expires_at)s)
    """,
)
INSERT_CODE = tenant_statement(
    "insert_code",
    """
    INSERT INTO oauth_codes (tenant_id, id, family_id, code_hash, code_challenge, redirect_uri, is_redirect_uri_given,
                             scopes, created_at, expires_at)
    VALUES (%(tenant_id)s, %(code_id)s, %(family_id)s, %(code_hash)s, %(code_challenge)s, %(redirect_uri)s,
            %(is_redirect_uri_given)s, %(scopes)s, %(now)s, %(expires_at)s)
    """,
)

RESOLVE_CODE = Statement("resolve_code", "SELECT tenant_id, code_id, family_id FROM auth_resolve_code(%(secret_hash)s)")
RESOLVE_REFRESH_TOKEN = Statement(
    "resolve_refresh_token",
    "SELECT tenant_id, token_id, family_id FROM auth_resolve_refresh_token(%(secret_hash)s)",
)

LOCK_FAMILY = tenant_statement(
    "lock_family",
    "SELECT id FROM oauth_families WHERE tenant_id = %(tenant_id)s AND id = %(family_id)s FOR UPDATE",
)
FAMILY = tenant_statement(
    "family",
    """
    SELECT f.audience, f.expires_at, g.client_id, g.user_id, f.grant_id,
           f.revoked_at IS NULL AND g.revoked_at IS NULL AND u.status = 'active' AND t.status = 'active' AS stands
    FROM oauth_families f
    JOIN oauth_grants g ON g.tenant_id = f.tenant_id AND g.id = f.grant_id
    JOIN users u ON u.tenant_id = g.tenant_id AND u.id = g.user_id
    JOIN tenants t ON t.id = f.tenant_id
    WHERE f.tenant_id = %(tenant_id)s AND f.id = %(family_id)s
    """,
)
CODE = tenant_statement(
    "code",
    """
    SELECT code_challenge, redirect_uri, is_redirect_uri_given, scopes, expires_at, used_at
    FROM oauth_codes WHERE tenant_id = %(tenant_id)s AND id = %(code_id)s
    """,
)
USE_CODE = tenant_statement(
    "use_code",
    """
    UPDATE oauth_codes SET used_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(code_id)s AND used_at IS NULL
    """,
)
REFRESH_TOKEN = tenant_statement(
    "refresh_token",
    """
    SELECT scopes, expires_at, revoked_at, replaced_at
    FROM oauth_tokens WHERE tenant_id = %(tenant_id)s AND id = %(token_id)s AND kind = 'refresh'
    """,
)
REPLACE_TOKEN = tenant_statement(
    "replace_token",
    """
    UPDATE oauth_tokens SET replaced_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(token_id)s AND replaced_at IS NULL
    """,
)
INSERT_TOKEN = tenant_statement(
    "insert_token",
    """
    INSERT INTO oauth_tokens (tenant_id, id, user_id, family_id, kind, token_hash, scopes, audience, issued_at,
                              expires_at)
    VALUES (%(tenant_id)s, %(token_id)s, %(user_id)s, %(family_id)s, %(kind)s, %(token_hash)s, %(scopes)s,
            %(audience)s, %(now)s, %(expires_at)s)
    """,
)
TOUCH_GRANT = tenant_statement(
    "touch_grant",
    """
    UPDATE oauth_grants SET last_used_at = greatest(last_used_at, %(now)s)
    WHERE tenant_id = %(tenant_id)s AND id = %(grant_id)s
    """,
)

REVOKE_FAMILY = tenant_statement(
    "revoke_family",
    """
    UPDATE oauth_families SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(family_id)s AND revoked_at IS NULL
    """,
)
REVOKE_TOKENS_OF_FAMILY = tenant_statement(
    "revoke_tokens_of_family",
    """
    UPDATE oauth_tokens SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND family_id = %(family_id)s AND revoked_at IS NULL
    """,
)
FAMILY_OF_ACCESS_TOKEN = tenant_statement(
    "family_of_access_token",
    """
    SELECT g.client_id
    FROM oauth_tokens t
    JOIN oauth_families f ON f.tenant_id = t.tenant_id AND f.id = t.family_id
    JOIN oauth_grants g ON g.tenant_id = f.tenant_id AND g.id = f.grant_id
    WHERE t.tenant_id = %(tenant_id)s AND t.id = %(token_id)s AND t.kind = 'access'
    """,
)
REVOKE_ACCESS_TOKEN = tenant_statement(
    "revoke_access_token",
    """
    UPDATE oauth_tokens SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND id = %(token_id)s AND revoked_at IS NULL
    """,
)

# What still opens something, or may yet: a token that stands, or a code that was not used.
LIVE_GRANTS = tenant_statement(
    "live_grants",
    """
    SELECT g.id, g.client_id, c.name, c.registration, c.redirect_uris, g.scopes, g.created_at, g.last_used_at
    FROM oauth_grants g JOIN oauth_clients c ON c.client_id = g.client_id
    WHERE g.tenant_id = %(tenant_id)s AND g.user_id = %(user_id)s AND g.revoked_at IS NULL
      AND EXISTS (
          SELECT FROM oauth_families f
          WHERE f.tenant_id = %(tenant_id)s AND f.grant_id = g.id AND f.revoked_at IS NULL AND f.expires_at > %(now)s
            AND (EXISTS (SELECT FROM oauth_tokens t
                         WHERE t.tenant_id = %(tenant_id)s AND t.family_id = f.id AND t.revoked_at IS NULL
                           AND t.expires_at > %(now)s)
                 OR EXISTS (SELECT FROM oauth_codes d
                            WHERE d.tenant_id = %(tenant_id)s AND d.family_id = f.id AND d.used_at IS NULL
                              AND d.expires_at > %(now)s)))
    ORDER BY g.last_used_at DESC, g.id
    """,
)
REVOKE_GRANT = tenant_statement(
    "revoke_grant",
    """
    UPDATE oauth_grants SET revoked_at = coalesce(revoked_at, %(now)s)
    WHERE tenant_id = %(tenant_id)s AND user_id = %(user_id)s AND id = %(grant_id)s
    RETURNING id
    """,
)
LOCK_FAMILIES_OF_GRANT = tenant_statement(
    "lock_families_of_grant",
    """
    SELECT id FROM oauth_families
    WHERE tenant_id = %(tenant_id)s AND grant_id = %(grant_id)s ORDER BY id FOR UPDATE
    """,
)
REVOKE_FAMILIES_OF_GRANT = tenant_statement(
    "revoke_families_of_grant",
    """
    UPDATE oauth_families SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND grant_id = %(grant_id)s AND revoked_at IS NULL
    """,
)
REVOKE_TOKENS_OF_GRANT = tenant_statement(
    "revoke_tokens_of_grant",
    """
    UPDATE oauth_tokens SET revoked_at = %(now)s
    WHERE tenant_id = %(tenant_id)s AND revoked_at IS NULL
      AND family_id IN (SELECT id FROM oauth_families
                        WHERE tenant_id = %(tenant_id)s AND grant_id = %(grant_id)s)
    """,
)

SWEEP_TOKENS = Statement("sweep_tokens", "SELECT sweep_oauth_tokens(%(before)s, %(limit)s) AS total")
SWEEP_CODES = Statement("sweep_codes", "SELECT sweep_oauth_codes(%(before)s, %(limit)s) AS total")
SWEEP_FAMILIES = Statement("sweep_families", "SELECT sweep_oauth_families(%(before)s, %(limit)s) AS total")
SWEEP_GRANTS = Statement("sweep_grants", "SELECT sweep_oauth_grants(%(before)s, %(limit)s) AS total")
SWEEP_CLIENTS = Statement("sweep_clients", "SELECT sweep_oauth_clients(%(before)s, %(limit)s) AS total")
SWEEP_KEYS = Statement("sweep_keys", "SELECT sweep_signing_keys(%(now)s, %(followed_after)s) AS total")
