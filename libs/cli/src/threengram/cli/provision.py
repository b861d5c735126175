"""What a database needs before the services start: schema, signing key, embedding model; and tokens for its users."""

from dataclasses import dataclass, field
from datetime import datetime

import psycopg

from threengram.cli.errors import CannotRun
from threengram.cli.grant import Grant
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.oauth.signing import private_keys
from threengram.migrations.generations import ensure_model
from threengram.migrations.manage import publish_keys
from threengram.migrations.run import upgrade

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
        publish_keys(self.owner_url, self.signing_key_pem, now)
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
                key=private_keys(self.signing_key_pem)[0],
                now=now,
                lifetime=grant.lifetime,
            )
        finally:
            await database.close()
