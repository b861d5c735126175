"""OAuth clients, grants, codes and token families.

deploy: pre

Clients belong to no tenant: a row says who asks, never what was allowed. A grant is one person's consent to one client,
a family all that came of one authorization code. Tokens that the machine itself hands out belong to no family.
"""

from alembic import op

from threengram.migrations.ddl import check_enum, isolate
from threengram.schema.enums import ClientAuthMethod, ClientRegistration

revision = "0010"
down_revision = "0009"

_TABLES = f"""
CREATE TABLE oauth_clients (
    client_id text PRIMARY KEY,
    registration text NOT NULL {check_enum("registration", ClientRegistration)},
    name text NOT NULL,
    redirect_uris text[] NOT NULL,
    grant_types text[] NOT NULL,
    auth_method text NOT NULL {check_enum("auth_method", ClientAuthMethod)},
    secret_hash bytea,
    document_fetched_at timestamptz,
    document_expires_at timestamptz,
    may_serve_stale boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    CONSTRAINT oauth_clients_secret CHECK ((auth_method = 'none') = (secret_hash IS NULL)),
    CONSTRAINT oauth_clients_document CHECK (
        (registration = 'document') = (document_fetched_at IS NOT NULL AND document_expires_at IS NOT NULL)
    ),
    CONSTRAINT oauth_clients_public CHECK (registration = 'dynamic' OR auth_method = 'none')
);
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE last_used_at IS NULL;
CREATE TABLE oauth_grants (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    client_id text NOT NULL REFERENCES oauth_clients (client_id),
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE UNIQUE INDEX oauth_grants_live ON oauth_grants (tenant_id, user_id, client_id) WHERE revoked_at IS NULL;
CREATE INDEX oauth_grants_client ON oauth_grants (client_id);
CREATE TABLE oauth_families (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    grant_id uuid NOT NULL,
    audience text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, grant_id) REFERENCES oauth_grants (tenant_id, id)
);
CREATE INDEX oauth_families_grant ON oauth_families (tenant_id, grant_id);
CREATE TABLE oauth_codes (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    family_id uuid NOT NULL,
    code_hash bytea NOT NULL UNIQUE,
    code_challenge text NOT NULL,
    redirect_uri text NOT NULL,
    is_redirect_uri_given boolean NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, family_id) REFERENCES oauth_families (tenant_id, id)
);
CREATE INDEX oauth_codes_family ON oauth_codes (tenant_id, family_id);
"""

# The client of a token is that of its family's grant. Rows of before name a family that never was a row, which is why
# the reference isn't checked for them.
_TOKENS = """
ALTER TABLE oauth_tokens DROP COLUMN client_id;
ALTER TABLE oauth_tokens ALTER COLUMN family_id DROP NOT NULL;
ALTER TABLE oauth_tokens ADD COLUMN replaced_at timestamptz;
ALTER TABLE oauth_tokens ADD CONSTRAINT oauth_tokens_family_fkey
    FOREIGN KEY (tenant_id, family_id) REFERENCES oauth_families (tenant_id, id) NOT VALID;
ALTER TABLE oauth_tokens ADD CONSTRAINT oauth_tokens_refresh_has_family
    CHECK (kind = 'access' OR family_id IS NOT NULL);
ALTER TABLE signing_keys ADD COLUMN changed_at timestamptz;
"""

_RESOLVERS = """
CREATE FUNCTION auth_resolve_code(p_code_hash bytea)
RETURNS TABLE (tenant_id uuid, code_id uuid, family_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT c.tenant_id, c.id, c.family_id FROM public.oauth_codes c WHERE c.code_hash = p_code_hash
$$;
CREATE FUNCTION auth_resolve_refresh_token(p_token_hash bytea)
RETURNS TABLE (tenant_id uuid, token_id uuid, family_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT t.tenant_id, t.id, t.family_id
    FROM public.oauth_tokens t WHERE t.token_hash = p_token_hash AND t.kind = 'refresh'
$$;
"""

# Each deletes at most p_limit rows and returns how many, so that a job repeats it until nothing is left.
_SWEEPERS = """
CREATE FUNCTION sweep_oauth_tokens(p_before timestamptz, p_limit integer) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.oauth_tokens t USING (
            SELECT d.tenant_id, d.id FROM public.oauth_tokens d WHERE d.expires_at < p_before LIMIT p_limit
        ) due WHERE t.tenant_id = due.tenant_id AND t.id = due.id
        RETURNING 1
    ) SELECT count(*) FROM gone
$$;
CREATE FUNCTION sweep_oauth_codes(p_before timestamptz, p_limit integer) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.oauth_codes c USING (
            SELECT d.tenant_id, d.id FROM public.oauth_codes d WHERE d.expires_at < p_before LIMIT p_limit
        ) due WHERE c.tenant_id = due.tenant_id AND c.id = due.id
        RETURNING 1
    ) SELECT count(*) FROM gone
$$;
CREATE FUNCTION sweep_oauth_families(p_before timestamptz, p_limit integer) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.oauth_families f USING (
            SELECT d.tenant_id, d.id FROM public.oauth_families d
            WHERE d.created_at < p_before
              AND NOT EXISTS (SELECT FROM public.oauth_tokens t
                              WHERE t.tenant_id = d.tenant_id AND t.family_id = d.id)
              AND NOT EXISTS (SELECT FROM public.oauth_codes c
                              WHERE c.tenant_id = d.tenant_id AND c.family_id = d.id)
            LIMIT p_limit
        ) due WHERE f.tenant_id = due.tenant_id AND f.id = due.id
        RETURNING 1
    ) SELECT count(*) FROM gone
$$;
CREATE FUNCTION sweep_oauth_grants(p_before timestamptz, p_limit integer) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.oauth_grants g USING (
            SELECT d.tenant_id, d.id FROM public.oauth_grants d
            WHERE d.last_used_at < p_before
              AND NOT EXISTS (SELECT FROM public.oauth_families f
                              WHERE f.tenant_id = d.tenant_id AND f.grant_id = d.id)
            LIMIT p_limit
        ) due WHERE g.tenant_id = due.tenant_id AND g.id = due.id
        RETURNING 1
    ) SELECT count(*) FROM gone
$$;
CREATE FUNCTION sweep_oauth_clients(p_before timestamptz, p_limit integer) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH gone AS (
        DELETE FROM public.oauth_clients c USING (
            SELECT d.client_id FROM public.oauth_clients d
            WHERE coalesce(d.last_used_at, d.created_at) < p_before
              AND NOT EXISTS (SELECT FROM public.oauth_grants g WHERE g.client_id = d.client_id)
            ORDER BY d.created_at LIMIT p_limit
            FOR UPDATE SKIP LOCKED
        ) due WHERE c.client_id = due.client_id
        RETURNING 1
    ) SELECT count(*) FROM gone
$$;
CREATE FUNCTION sweep_signing_keys(p_now timestamptz, p_followed_after interval) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH gone AS (
        UPDATE public.signing_keys k SET state = 'retired', changed_at = p_now
        WHERE k.state = 'retiring' AND coalesce(k.changed_at, k.created_at) + p_followed_after < p_now
          AND NOT EXISTS (
              SELECT FROM public.oauth_tokens t
              WHERE t.kind = 'access' AND t.revoked_at IS NULL AND t.expires_at > p_now
                AND t.issued_at <= coalesce(k.changed_at, k.created_at) + p_followed_after
          )
        RETURNING 1
    ) SELECT count(*) FROM gone
$$;
"""


def upgrade() -> None:
    """Create what an authorization server keeps, and the ways to it before the tenant is known."""
    op.execute(_TABLES)
    for table in ("oauth_grants", "oauth_families", "oauth_codes"):
        isolate(table)
    op.execute(_TOKENS)
    op.execute(_RESOLVERS)
    op.execute(_SWEEPERS)
