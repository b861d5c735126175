"""What a database needs before the services start: schema, signing key, embedding model; and tokens for its users."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import psycopg

from threengram.cli.errors import CannotRun
from threengram.cli.grant import Grant
from threengram.cli.served import ServedModel
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.oauth.signing import private_keys
from threengram.migrations.generations import ensure_model
from threengram.migrations.manage import Refused, activate_key, publish_keys
from threengram.migrations.phases import NewerSchema
from threengram.migrations.run import upgrade

CONNECT_TIMEOUT_S = 5


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

    def prepare(self, served: Sequence[ServedModel], now: datetime) -> None:
        """Bring the schema up to date, publish the signing key, register the first model. Blocks; may be repeated.

        Raises `CannotRun` where none of the served models is the active one, or the schema is of a later release.
        """
        active_name = active_model(self.owner_url)
        try:
            upgrade(self.owner_url, runtime_password=self.runtime_password, runtime_role=self.runtime_role)
        except NewerSchema as refusal:
            raise CannotRun(str(refusal)) from refusal
        publish_keys(self.owner_url, self.signing_key_pem, now)
        active = next((one for one in served if active_name in (None, one.name)), None)
        if active is None:
            names = ", ".join(one.name for one in served)
            raise CannotRun(f"the active embedding model is {active_name}, and what is served is {names}")
        ensure_model(self.owner_url, name=active.name, dimensions=active.dimensions)

    def publish(self, signing_key_pem: str, now: datetime) -> None:
        """Announce a signing key. Blocks; may be repeated."""
        publish_keys(self.owner_url, signing_key_pem, now)

    def activate(self, signing_key_pem: str, now: datetime) -> "Provisioner":
        """Let a published key sign, here too from now on. Blocks; may be repeated."""
        try:
            activate_key(self.owner_url, signing_key_pem, now)
        except Refused as refusal:
            raise CannotRun(str(refusal), exit_code=1) from refusal
        return replace(self, signing_key_pem=signing_key_pem)

    async def token(self, grant: Grant, now: datetime) -> str:
        """A signed access token for the MCP resource, its row written. Raises `CannotRun` for an unknown user."""
        async with Database(self.runtime_url, pool_min=1, pool_max=1) as database:
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


def active_model(owner_url: str) -> str | None:
    """The name of the model that serves; None in a new database. Raises `CannotRun` where nothing answers."""
    try:
        with psycopg.connect(owner_url, connect_timeout=CONNECT_TIMEOUT_S) as owner:
            if owner.execute("SELECT to_regclass('public.embedding_models')").fetchone() == (None,):
                return None
            row = owner.execute("SELECT name FROM embedding_models WHERE state = 'active'").fetchone()
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[-1]
        raise CannotRun(f"can't connect to the database as its owner: {reason}") from error
    return None if row is None else str(row[0])
