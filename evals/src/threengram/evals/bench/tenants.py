"""The tenants that are measured and those around them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import orjson
from joserfc import jws

from threengram.core.db.database import Database
from threengram.core.identity.api_keys import create_api_key, list_api_keys, revoke_api_key
from threengram.core.identity.provision import create_tenant
from threengram.core.principal import Principal
from threengram.evals.bench.stack import Product
from threengram.schema.enums import ActorKind, OAuthScope

IN_FLIGHT = 8
KEY_NAME = "bench"


@dataclass(frozen=True)
class Caller:
    """A user of a tenant with a token; `principal` is what a service makes of it."""

    principal: Principal
    token: str


async def api_key(database: Database, principal: Principal, *, now: datetime) -> str:
    """A new key of the user for a day, in place of those of earlier measurements."""
    for key in await list_api_keys(database, principal):
        if key.name == KEY_NAME and key.is_live(now):
            await revoke_api_key(database, principal, key.id, now=now)
    scopes = (OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE)
    made = await create_api_key(
        database, principal, name=KEY_NAME, scopes=scopes, now=now, expires_at=now + timedelta(days=1)
    )
    return made.text


async def create_tenants(database: Database, names: Sequence[str], *, now: datetime) -> list[Principal]:
    """New tenants with one user each, `NAME@example.test`."""
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def create(name: str) -> Principal:
        async with slots:
            return await create_tenant(database, email=address(name), name=name, now=now)

    return list(await asyncio.gather(*(create(name) for name in names)))


def caller(product: Product, name: str, principal: Principal) -> Caller:
    """The user of a tenant, with a token from the running product."""
    token = product.token(address(name))
    claims = orjson.loads(jws.extract_compact(token.encode()).payload)
    scopes = frozenset({OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE})
    return Caller(replace(principal, credential_id=UUID(claims["jti"]), scopes=scopes, actor=ActorKind.USER_MCP), token)


def address(name: str) -> str:
    """The address of a tenant's user."""
    return f"{name}@example.test"
