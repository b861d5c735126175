"""Make a tenant with its first user, and access tokens for it, on the machine's own authority."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from joserfc.jwk import RSAKey

from threengram.core.db.database import Database
from threengram.core.db.statement import Step
from threengram.core.identity import queries, tokens
from threengram.core.ids import new_id
from threengram.core.principal import Principal
from threengram.schema.enums import ActorKind

DEFAULT_SCOPES = ("personal", "work")
"""Registered for every new tenant."""

CLI_CLIENT = "threengram-cli"


async def find_user(database: Database, email: str) -> Principal | None:
    """The user with that address, as a principal of the system without any scope; None when there is none."""
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.USER_BY_EMAIL, {"email": email})
    return _system_principal(rows[0]["tenant_id"], rows[0]["user_id"]) if rows else None


async def create_tenant(database: Database, *, email: str, name: str, now: datetime) -> Principal:
    """A new tenant with one active user and the default scopes."""
    principal = _system_principal(new_id(), new_id())
    steps = [
        Step(queries.INSERT_TENANT, {"name": name, "now": now}),
        Step(queries.INSERT_COUNTERS),
        Step(queries.INSERT_USER, {"user_id": principal.user_id, "email": email, "now": now}),
        Step(
            queries.INSERT_SCOPES,
            {"ids": [new_id() for _ in DEFAULT_SCOPES], "names": list(DEFAULT_SCOPES), "now": now},
        ),
    ]
    async with database.tenant(principal) as tx:
        await tx.run(steps, commit=True)
    return principal


async def issue_access_token(
    database: Database,
    principal: Principal,
    *,
    scopes: Iterable[str],
    issuer: str,
    audience: str,
    key: RSAKey,
    now: datetime,
    lifetime: timedelta,
) -> str:
    """A real access token for the user: its row is written before it is signed."""
    claims = tokens.AccessClaims(
        tenant_id=principal.tenant_id,
        user_id=principal.user_id,
        token_id=new_id(),
        scopes=frozenset(scopes),
        expires_at=now + lifetime,
    )
    row = {
        "token_id": claims.token_id,
        "user_id": claims.user_id,
        "scopes": sorted(claims.scopes),
        "audience": audience,
        "now": now,
        "expires_at": claims.expires_at,
    }
    async with database.tenant(principal) as tx:
        await tx.run([Step(queries.INSERT_ACCESS_TOKEN, row)], commit=True)
    return tokens.mint(claims, issuer=issuer, audience=audience, client_id=CLI_CLIENT, key=key, issued_at=now)


def _system_principal(tenant_id: UUID, user_id: UUID) -> Principal:
    return Principal(tenant_id, user_id, user_id, frozenset(), ActorKind.SYSTEM)
