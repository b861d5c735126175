"""What a database needs before the services start: schema, signing key, embedding model; and tokens for its users."""

import json
from dataclasses import dataclass, field
from datetime import datetime

import psycopg
from joserfc.jwk import RSAKey

from threengram.cli.errors import CannotRun
from threengram.cli.grant import Grant
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import upgrade
from threengram.schema.enums import KeyState

CONNECT_TIMEOUT_S = 5
MODELS = {"onnx": ("all-MiniLM-L6-v2-int8", 384), "hash": ("hash-384", 384)}
"""Name and dimensions of the model behind each embedder provider."""


@dataclass(frozen=True)
class Provisioner:
    """Acts on one database, as its owner for the schema and as the runtime role for users and tokens."""

    owner_url: str = field(repr=False)
    runtime_url: str = field(repr=False)
    runtime_role: str
    runtime_password: str = field(repr=False)
    signing_key_pem: str = field(repr=False)
    issuer_url: str
    audience: str

    def prepare(self, embedder: str, now: datetime) -> None:
        """Bring the schema up to date, publish the signing key, register the model. Blocks; may be repeated."""
        try:
            psycopg.connect(self.owner_url, connect_timeout=CONNECT_TIMEOUT_S).close()
        except psycopg.OperationalError as error:
            reason = str(error).strip().splitlines()[-1]
            raise CannotRun(f"can't connect to the database as its owner: {reason}") from error
        upgrade(self.owner_url, runtime_password=self.runtime_password, runtime_role=self.runtime_role)
        self._publish_key(now)
        name, dimensions = MODELS[embedder]
        try:
            ensure_model(self.owner_url, name=name, dimensions=dimensions)
        except ValueError as error:
            raise CannotRun(f"--embedder {embedder}: {error}") from error

    async def token(self, grant: Grant, now: datetime) -> str:
        """A signed access token for the MCP resource, its row written. Raises `CannotRun` for an unknown user."""
        database = Database(self.runtime_url, pool_min=1, pool_max=1)
        await database.open()
        try:
            principal = await provision.find_user(database, grant.email)
            if principal is None and not grant.creates_user:
                raise CannotRun("there is no such user; give --create to make one with a tenant of its own")
            if principal is None:
                principal = await provision.create_tenant(database, email=grant.email, name=grant.email, now=now)
            return await provision.issue_access_token(
                database,
                principal,
                scopes=grant.scopes,
                issuer=self.issuer_url,
                audience=self.audience,
                key=self._key(),
                now=now,
                lifetime=grant.lifetime,
            )
        finally:
            await database.close()

    def _publish_key(self, now: datetime) -> None:
        key = self._key()
        with psycopg.connect(self.owner_url) as owner:
            owner.execute(
                "INSERT INTO signing_keys (kid, public_jwk, state, created_at) VALUES (%s, %s, %s, %s)"
                " ON CONFLICT (kid) DO NOTHING",
                (key.kid, json.dumps(key.as_dict(private=False)), KeyState.ACTIVE.value, now),
            )

    def _key(self) -> RSAKey:
        """The key under the name that its thumbprint gives it (RFC 7638)."""
        key = RSAKey.import_key(self.signing_key_pem)
        return RSAKey.import_key(self.signing_key_pem, {"kid": key.thumbprint()})
