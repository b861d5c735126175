"""The rate limits of routes that meet a caller before anybody knows who it is: by address, by client, by account.

Each rule says what happens without the shared counters: `local` where a credential is tried or made, `open` where
something public is read. The limits of `/api/v1`, by key and by user, are in `rate`.
"""

import hashlib
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import IPv6Address, ip_address
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from threengram.runtime.ratelimit import Limiter, Rule, Verdict

Endpoint = Callable[[Request], Awaitable[Response]]

MINUTE_S: Final = 60
_SITE_BITS: Final = 64
_UNKNOWN: Final = "unknown"


class Rules(NamedTuple):
    """Calls a minute, except where the window is another; shared by all replicas."""

    login_account: Rule = Rule("login_account", 10, 15 * MINUTE_S, "local")
    login_address: Rule = Rule("login_address", 30, MINUTE_S, "local")
    password_account: Rule = Rule("password_account", 10, 15 * MINUTE_S, "local")
    link_address: Rule = Rule("link_address", 5, MINUTE_S, "local")
    link_account: Rule = Rule("link_account", 5, 60 * MINUTE_S, "local")
    page_address: Rule = Rule("page_address", 300, MINUTE_S, "local")
    authorize_address: Rule = Rule("authorize_address", 120, MINUTE_S, "local")
    token_address: Rule = Rule("token_address", 3000, MINUTE_S, "local")
    token_client: Rule = Rule("token_client", 1200, MINUTE_S, "local")
    revoke_address: Rule = Rule("revoke_address", 600, MINUTE_S, "local")
    register_address: Rule = Rule("register_address", 30, MINUTE_S, "local")
    public_address: Rule = Rule("public_address", 1200, MINUTE_S, "open")


def declare(endpoint: Endpoint, *rules: Rule) -> Endpoint:
    """The endpoint, marked with what its calls are counted by; `declared` reads it."""
    endpoint.rules = rules  # type: ignore[attr-defined]
    return endpoint


class CountedRoute(Route):
    """A route that declares its rules, and tells the access log its path template as the framework's own routes do."""

    def __init__(self, path: str, endpoint: Endpoint, methods: Iterable[str], *rules: Rule) -> None:
        super().__init__(path, declare(endpoint, *rules), methods=list(methods))

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the route takes the request, and what it adds to its scope."""
        match, found = super().matches(scope)
        return match, found if match is Match.NONE else {**found, "route": self}


def declared(route: Route) -> tuple[Rule, ...]:
    """What calls of a route are counted by; nothing where nobody said."""
    return getattr(route.endpoint, "rules", ())


class TooMany(Exception):
    """A limit was reached; `verdict.headers` says when to come again."""

    def __init__(self, rule: Rule, verdict: Verdict) -> None:
        super().__init__(rule.name)
        self.rule = rule
        self.verdict = verdict


class EdgeLimits:
    """Counts calls of those who are not known yet."""

    def __init__(self, limiter: Limiter, rules: Rules | None = None) -> None:
        self._limiter = limiter
        self.rules = rules or Rules()

    async def by_address(self, rule: Rule, request: Request) -> Verdict:
        """Count a call of the request's address; raises `TooMany`."""
        return await self._charge(rule, address_of(request))

    async def by_client(self, rule: Rule, request: Request, client_id: str) -> Verdict:
        """Count a call of a client at an address, so that nobody uses up what others of that client need."""
        return await self._charge(rule, _joined((client_id, address_of(request))))

    async def by_account(self, rule: Rule, name: str) -> Verdict:
        """Count a call about an account, whatever address it comes from and whether or not the account exists."""
        return await self._charge(rule, _joined((name,)))

    async def _charge(self, rule: Rule, key: str) -> Verdict:
        verdict = await self._limiter.hit(rule, key)
        if not verdict.allowed:
            raise TooMany(rule, verdict)
        return verdict


def address_of(request: Request) -> str:
    """The address that a request is counted under: the peer, or what a trusted proxy says of it; IPv6 by its /64.

    Who is trusted is the setting `trusted_proxies`; the server has applied it before a request gets here.
    """
    if request.client is None:
        return _UNKNOWN
    try:
        address = ip_address(request.client.host.partition("%")[0])
    except ValueError:
        return _UNKNOWN
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return f"{IPv6Address(int(address) >> _SITE_BITS << _SITE_BITS)}/{_SITE_BITS}"


def _joined(parts: Iterable[str]) -> str:
    """One key for several texts of any length; the texts don't leave the process."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode(errors="replace")).digest())
    return digest.hexdigest()
