"""Tenants with a user and a real access token, made the way the product makes them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import orjson
from joserfc import jws
from joserfc.jwk import RSAKey

from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.ids import new_id
from threengram.core.oauth.signing import private_keys
from threengram.core.principal import Principal
from threengram.schema.enums import ActorKind, OAuthScope

ISSUER = "http://127.0.0.1:8301"
AUDIENCE = "http://127.0.0.1:8300/mcp"
SIGNING_KEY = private_keys(RSAKey.generate_key(2048, private=True).as_pem(private=True).decode())[0]
"""Under the name by which the product knows it."""

BOTH = (OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE)


@dataclass(frozen=True)
class Person:
    """Somebody with a token; `principal` is what a service makes of it."""

    token: str
    principal: Principal


async def a_person(
    database: Database,
    *,
    scopes: tuple[OAuthScope, ...] = BOTH,
    now: datetime | None = None,
    lifetime: timedelta = timedelta(days=365_0),
) -> Person:
    """A new tenant with one user who holds a token."""
    now = now or datetime.now(UTC)
    email = f"{new_id()}@example.test"
    owner = await provision.create_tenant(database, email=email, name="a tenant", now=now)
    token = await provision.issue_access_token(
        database, owner, scopes=scopes, issuer=ISSUER, audience=AUDIENCE, key=SIGNING_KEY, now=now, lifetime=lifetime
    )
    claims = orjson.loads(jws.extract_compact(token.encode()).payload)
    return Person(
        token,
        Principal(owner.tenant_id, owner.user_id, UUID(claims["jti"]), frozenset(scopes), ActorKind.USER_MCP),
    )
