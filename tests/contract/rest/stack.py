"""REST on real PostgreSQL and Valkey, in this process, for callers with real keys."""

import contextlib
from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from functools import partial
from typing import Any

import httpx2
from starlette.types import ASGIApp

from tests.contract.mcp.stack import started
from tests.people import Person
from threengram.api.auth import Authenticator
from threengram.api.build import Collaborators, build_app
from threengram.api.exports import Exports
from threengram.api.gates import Limits
from threengram.api.imports import ImportLimits
from threengram.api.rate import RateLimits
from threengram.core.call import Core, OpenCall, open_call
from threengram.core.identity.api_key_use import ApiKeyResolver, ApiKeyUses
from threengram.core.identity.api_keys import create_api_key
from threengram.runtime.ratelimit import RateLimiter
from threengram.schema.enums import OAuthScope

BASE_URL = "http://127.0.0.1:8301"
BOTH = (OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE)
PLENTY = 1_000_000


def api_of(
    core: Core,
    limiter: RateLimiter,
    *,
    limits: Limits | None = None,
    a_minute: int = PLENTY,
    calls: OpenCall | None = None,
    exports: Exports | None = None,
    import_limits: ImportLimits | None = None,
) -> ASGIApp:
    """The service on `core`, or on other `calls`, with limits that only stand in a test's way if it says so."""
    uses = ApiKeyUses(core.database)
    return build_app(
        Collaborators(
            authenticator=Authenticator(ApiKeyResolver(core.database, uses), core.clock),
            rates=RateLimits(limiter, key_calls_per_minute=a_minute, user_calls_per_minute=a_minute),
            open_call=calls or partial(open_call, core),
            limits=limits or Limits(),
            exports=exports,
            import_limits=import_limits or ImportLimits(),
        )
    )


async def a_key(
    core: Core, person: Person, scopes: Iterable[OAuthScope] = BOTH, *, expires_at: datetime | None = None
) -> str:
    """The text of a new key of a person."""
    made = await create_api_key(
        core.database, person.principal, name="a key", scopes=scopes, now=core.clock(), expires_at=expires_at
    )
    return made.text


class Rest:
    """Requests under `/api/v1` with one key."""

    def __init__(self, http: httpx2.AsyncClient, key: str | None) -> None:
        self.http = http
        self.key = key

    def with_key(self, key: str | None) -> "Rest":
        """The same service, asked by somebody else."""
        return Rest(self.http, key)

    async def send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """One request; without a key it carries no credential."""
        headers = {} if self.key is None else {"x-api-key": self.key}
        headers |= options.pop("headers", {})
        return await self.http.request(method, f"/api/v1{path}", headers=headers, **options)

    async def get(self, path: str, **options: Any) -> httpx2.Response:
        """GET."""
        return await self.send("GET", path, **options)

    async def post(self, path: str, body: object = None, **options: Any) -> httpx2.Response:
        """POST a body as JSON, unless `content` is given."""
        if "content" not in options:
            options["json"] = body
        return await self.send("POST", path, **options)


@contextlib.asynccontextmanager
async def requests_to(app: ASGIApp, key: str | None) -> AsyncIterator[Rest]:
    """A started application and requests to it."""
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with started(app), httpx2.AsyncClient(transport=transport, base_url=BASE_URL) as http:
        yield Rest(http, key)
