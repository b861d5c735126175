"""Tenants with a user and a real access token, made the way the product makes them."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import UUID

import anyio
import orjson
from joserfc import jws
from joserfc.jwk import RSAKey

from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.ids import new_id
from threengram.core.oauth.queries import REVOKE_ACCESS_TOKEN
from threengram.core.oauth.signing import private_keys
from threengram.core.people.accounts import create_user
from threengram.core.people.passwords import PasswordHashes
from threengram.core.principal import Principal
from threengram.schema.enums import ActorKind, OAuthScope

ISSUER = "http://127.0.0.1:8301"
AUDIENCE = "http://127.0.0.1:8300/mcp"
SIGNING_KEY = private_keys(RSAKey.generate_key(2048, private=True).as_pem(private=True).decode())[0]
"""Under the name by which the product knows it."""

Result = TypeVar("Result")
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


async def revoke_token(database: Database, person: Person, *, now: datetime) -> None:
    """Withdraw the token of somebody at once."""
    async with database.tenant(person.principal) as tx:
        await tx.fetch_last(REVOKE_ACCESS_TOKEN, {"token_id": person.principal.credential_id, "now": now})


def in_database(url: str, work: Callable[[Database], Awaitable[Result]]) -> Result:
    """What `work` makes of a database, for whoever is no coroutine: on a loop and in a thread of its own."""

    async def run() -> Result:
        async with Database(url) as database:
            return await work(database)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, run).result()


def make_user(database_url: str, email: str, password: str) -> None:
    """Somebody who may log in."""

    async def make(database: Database) -> None:
        with closing(PasswordHashes()) as hashes:
            await create_user(database, hashes, email=email, password=password, now=datetime.now(UTC))

    in_database(database_url, make)
