"""Tenants, people, credentials, signing keys.

deploy: pre
"""

from alembic import op

from threengram.migrations.ddl import check_enum, isolate
from threengram.schema.enums import AccountStatus, KeyState, TokenKind

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables that say who may come in."""
    op.execute(f"""
    CREATE TABLE tenants (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        status text NOT NULL DEFAULT 'active' {check_enum("status", AccountStatus)},
        created_at timestamptz NOT NULL
    );
    CREATE TABLE tenant_counters (
        tenant_id uuid PRIMARY KEY REFERENCES tenants (id),
        memory_count integer NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50);
    CREATE TABLE users (
        tenant_id uuid NOT NULL REFERENCES tenants (id),
        id uuid NOT NULL,
        email text NOT NULL,
        status text NOT NULL DEFAULT 'active' {check_enum("status", AccountStatus)},
        password_hash text,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
    );
    CREATE UNIQUE INDEX users_email_key ON users (lower(email));
    CREATE TABLE user_sessions (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        token_hash bytea NOT NULL UNIQUE,
        created_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
    );
    CREATE TABLE api_keys (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        name text NOT NULL,
        prefix text NOT NULL,
        key_hash bytea NOT NULL UNIQUE,
        scopes text[] NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
    );
    CREATE TABLE oauth_tokens (
        tenant_id uuid NOT NULL,
        id uuid NOT NULL,
        user_id uuid NOT NULL,
        client_id text,
        family_id uuid NOT NULL,
        kind text NOT NULL {check_enum("kind", TokenKind)},
        token_hash bytea UNIQUE,
        scopes text[] NOT NULL,
        audience text NOT NULL,
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id),
        CONSTRAINT oauth_tokens_refresh_is_hashed CHECK (kind = 'access' OR token_hash IS NOT NULL)
    );
    CREATE INDEX oauth_tokens_family ON oauth_tokens (tenant_id, family_id);
    CREATE INDEX oauth_tokens_expiry ON oauth_tokens (tenant_id, expires_at);
    CREATE TABLE signing_keys (
        kid text PRIMARY KEY,
        public_jwk jsonb NOT NULL,
        state text NOT NULL {check_enum("state", KeyState)},
        created_at timestamptz NOT NULL
    );
    CREATE TABLE audit_log (
        tenant_id uuid NOT NULL REFERENCES tenants (id),
        id uuid NOT NULL,
        actor_kind text NOT NULL,
        action text NOT NULL,
        subject_id uuid,
        details jsonb NOT NULL DEFAULT '{{}}',
        recorded_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
    );
    """)
    isolate("tenants", column="id")
    for table in ("tenant_counters", "users", "user_sessions", "api_keys", "oauth_tokens", "audit_log"):
        isolate(table)
