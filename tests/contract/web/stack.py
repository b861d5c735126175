"""The web pages on real PostgreSQL and Valkey, in this process, for people with passwords."""

import contextlib
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from html import unescape
from urllib.parse import urlencode, urlsplit

import httpx2
from argon2 import Parameters
from argon2.low_level import ARGON2_VERSION, Type
from starlette.types import ASGIApp

from tests.contract.mcp.stack import started
from threengram.api.account import AccountPages
from threengram.api.auth import Authenticator
from threengram.api.breaches import Breaches
from threengram.api.browsing import routes as browsing
from threengram.api.build import Collaborators, build_app
from threengram.api.exports import Exports
from threengram.api.limits import EdgeLimits, Rules
from threengram.api.login import FORGOTTEN_PATH, SIGN_UP_PATH, Logins
from threengram.api.mail.outbox import Outbox
from threengram.api.mail.pages import LinkPages
from threengram.api.pages import static_routes
from threengram.api.proposals import ProposalPages
from threengram.api.rate import RateLimits
from threengram.api.visits import Visits
from threengram.core.call import Core, open_call
from threengram.core.db.database import Database
from threengram.core.identity import provision
from threengram.core.identity.api_key_use import ApiKeyResolver, ApiKeyUses
from threengram.core.ids import new_id
from threengram.core.people.accounts import set_password
from threengram.core.people.mailed_links import PURPOSE, Links
from threengram.core.people.passwords import PasswordHashes
from threengram.core.people.sessions import LIFETIME
from threengram.core.principal import Principal
from threengram.runtime.ratelimit import Limiter, Rule, Verdict

ORIGIN = "http://127.0.0.1:8301"
PASSWORD = "correct horse battery staple"
QUICK = Parameters(
    type=Type.ID, version=ARGON2_VERSION, salt_len=16, hash_len=32, time_cost=1, memory_cost=64, parallelism=1
)
"""Hashing that costs a test nothing."""
TOKEN = re.compile(r'name="csrf_token" value="([^"]*)"')


class Unlimited:
    """Lets everything through."""

    async def hit(self, rule: Rule, key: str) -> Verdict:
        return Verdict(True, rule.calls, rule.calls, 0.0, 0.0)


@dataclass
class Pages:
    """The application and what it stands on."""

    core: Core
    hashes: PasswordHashes
    logins: Logins
    visits: Visits
    app: ASGIApp


def pages_of(
    core: Core,
    hashes: PasswordHashes,
    *,
    limiter: Limiter | None = None,
    rules: Rules | None = None,
    issuer_url: str = ORIGIN,
    lifetime: timedelta = LIFETIME,
    outbox: Outbox | None = None,
    breaches: Breaches | None = None,
) -> Pages:
    """The service on `core`; without a limiter nothing stands in a test's way."""
    counters: Limiter = limiter or Unlimited()
    limits = EdgeLimits(counters, rules)
    ways_in = frozenset() if outbox is None else frozenset({FORGOTTEN_PATH, SIGN_UP_PATH})
    logins = Logins(
        core.database, hashes, limits, core.clock, issuer_url=issuer_url, lifetime=lifetime, ways_in=ways_in
    )
    exports = Exports(partial(open_call, core))
    breaches = breaches or Breaches()
    account = AccountPages(logins, core.database, hashes, core.clock, exports, breaches)
    rates = RateLimits(counters, key_calls_per_minute=1000, user_calls_per_minute=1000)
    visits = Visits(logins, rates, partial(open_call, core))
    uses = ApiKeyUses(core.database)
    app = build_app(
        Collaborators(
            authenticator=Authenticator(ApiKeyResolver(core.database, uses), core.clock),
            rates=rates,
            open_call=partial(open_call, core),
            routes=[
                *static_routes(limits),
                *logins.routes(),
                *LinkPages(logins, links_of(core), outbox, core.database, hashes, core.clock, breaches).routes(),
                *browsing.routes(visits, core.cursors, core.clock),
                *ProposalPages(visits).routes(),
                *account.routes(),
            ],
        )
    )
    return Pages(core, hashes, logins, visits, app)


def links_of(core: Core) -> Links:
    """Links that come by mail."""
    return Links(core.cursors.sealer(PURPOSE))


@dataclass
class Browser:
    """Keeps cookies and sends forms as a browser does that follows no redirect by itself."""

    http: httpx2.AsyncClient
    headers: dict[str, str] = field(default_factory=lambda: {"sec-fetch-site": "same-origin", "origin": "null"})

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        return await self.http.get(path, headers=headers)

    async def post(self, path: str, form: dict[str, str], **headers: str) -> httpx2.Response:
        form_headers = {"content-type": "application/x-www-form-urlencoded"}
        return await self.http.post(path, content=urlencode(form), headers=form_headers | self.headers | headers)

    async def submit(self, page: str, path: str, **fields: str) -> httpx2.Response:
        """Open a page, take the token of its form, and send the form."""
        shown = await self.get(page)
        return await self.post(path, {"csrf_token": token_in(shown), **fields})

    async def log_in(self, email: str, password: str = PASSWORD, after: str = "/account") -> httpx2.Response:
        return await self.submit("/login", "/login", email=email, password=password, next=after)

    def cookie(self, kind: str = "session") -> str | None:
        return next((one.value for one in self.http.cookies.jar if one.name.endswith(f"threengram_{kind}")), None)


@contextlib.asynccontextmanager
async def a_browser(app: ASGIApp, origin: str = ORIGIN, address: str = "192.0.2.1") -> AsyncIterator[Browser]:
    """A browser with no cookies yet, at an address."""
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False, client=(address, 50_000))
    async with httpx2.AsyncClient(transport=transport, base_url=origin) as http:
        yield Browser(http)


@contextlib.asynccontextmanager
async def serving(pages: Pages) -> AsyncIterator[None]:
    async with started(pages.app):
        yield


@contextlib.contextmanager
def quick_hashes(parameters: Parameters = QUICK) -> Iterator[PasswordHashes]:
    hashes = PasswordHashes(parameters=parameters)
    try:
        yield hashes
    finally:
        hashes.close()


@dataclass(frozen=True)
class Owner:
    """Somebody who can log in."""

    email: str
    principal: Principal


async def an_owner(database: Database, hashes: PasswordHashes, core: Core, password: str = PASSWORD) -> Owner:
    """A new tenant whose user has a password."""
    email = f"{new_id()}@example.test"
    principal = await provision.create_tenant(database, email=email, name="a tenant", now=core.clock())
    await set_password(database, hashes, principal, password, now=core.clock())
    return Owner(email, principal)


def token_in(response: httpx2.Response) -> str:
    """The token of the page's forms."""
    found = TOKEN.search(response.text)
    assert found is not None, response.text
    return unescape(found[1])


def path_of(location: str) -> str:
    """Where a redirect goes, asserted to be on this server."""
    parts = urlsplit(location)
    assert (parts.scheme, parts.netloc) == ("", ""), location
    return location
