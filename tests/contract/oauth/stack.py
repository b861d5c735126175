"""The authorization server on real PostgreSQL, in this process, with people who log in and clients of several kinds."""

import base64
import contextlib
import hashlib
import json
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
from joserfc.jwk import RSAKey
from starlette.types import ASGIApp

from tests.contract.mcp.stack import started
from tests.contract.web.stack import Browser, Owner, Unlimited, a_browser, token_in
from tests.integration.cimd.origin import Names, Origin, answer, trusting_context
from tests.people import ISSUER, SIGNING_KEY
from threengram.api.auth import Authenticator
from threengram.api.build import Collaborators, build_app
from threengram.api.limits import EdgeLimits, Rules
from threengram.api.login import Logins
from threengram.api.oauth.documents import ServiceDocuments
from threengram.api.oauth.routes import OAuth
from threengram.api.pages import static_routes
from threengram.api.rate import RateLimits
from threengram.cimd.addresses import IpAddress, is_public
from threengram.cimd.app import build as build_cimd
from threengram.cimd.fetch import Fetcher
from threengram.cimd.settings import Settings as CimdSettings
from threengram.core.call import Core, open_call
from threengram.core.identity.api_key_use import ApiKeyResolver, ApiKeyUses
from threengram.core.identity.keys import PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.core.oauth.documents import Documents
from threengram.core.oauth.resources import ProtectedResources
from threengram.core.oauth.server import AuthorizationServer
from threengram.core.oauth.signing import SigningKeys
from threengram.core.people.passwords import PasswordHashes
from threengram.gateway.build import Collaborators as GatewayCollaborators
from threengram.gateway.build import build_app as build_gateway
from threengram.gateway.tools import TOOLS
from threengram.runtime.ratelimit import Limiter

PUBLIC_URL = "http://127.0.0.1:8300"
MCP = f"{PUBLIC_URL}/mcp"
API = f"{ISSUER}/api/v1"
CALLBACK = "https://app.example/callback"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
STATE = "a state=with&signs"


@dataclass
class Server:
    """The application, and the rules behind it."""

    app: ASGIApp
    oauth: OAuth
    core: Core
    hashes: PasswordHashes

    @property
    def rules(self) -> AuthorizationServer:
        return self.oauth.server


def server_of(
    core: Core,
    hashes: PasswordHashes,
    documents: Documents | None = None,
    *,
    limiter: Limiter | None = None,
    rules: Rules | None = None,
    signing_keys: Iterable[RSAKey] = (SIGNING_KEY,),
    max_unused_clients: int = 10_000,
) -> Server:
    """The service on `core`; without `documents`, clients have to register themselves."""
    counters: Limiter = limiter or Unlimited()
    limits = EdgeLimits(counters, rules)
    logins = Logins(core.database, hashes, limits, core.clock, issuer_url=ISSUER)
    oauth = OAuth(
        AuthorizationServer(
            database=core.database,
            issuer=ISSUER,
            resources=ProtectedResources(public_url=PUBLIC_URL, issuer=ISSUER),
            documents=documents or ServiceDocuments(None),
            keys=SigningKeys(core.database, list(signing_keys)),
            clock=core.clock,
            redirect_schemes=frozenset({"cursor"}),
            max_unused_clients=max_unused_clients,
        ),
        logins,
    )
    resolver = ApiKeyResolver(core.database, ApiKeyUses(core.database))
    app = build_app(
        Collaborators(
            authenticator=Authenticator(resolver, core.clock, access_tokens=oauth.access_tokens),
            rates=RateLimits(Unlimited(), key_calls_per_minute=1000, user_calls_per_minute=1000),
            open_call=lambda principal: open_call(core, principal),
            routes=[*static_routes(limits), *logins.routes(), *oauth.routes()],
            metadata_url=oauth.metadata_url,
        )
    )
    return Server(app, oauth, core, hashes)


def gateway_of(core: Core) -> ASGIApp:
    """The gateway with its real tools, which takes tokens for MCP."""
    verifier = AccessTokenVerifier(issuer=ISSUER, audience=MCP, keys=PublishedKeys(core.database))
    return build_gateway(
        GatewayCollaborators(
            tools=TOOLS,
            verifier=verifier,
            limiter=Unlimited(),
            open_call=lambda principal: open_call(core, principal),
            clock=core.clock,
        ),
        public_url=PUBLIC_URL,
        issuer_url=ISSUER,
    )


@dataclass(frozen=True)
class App:
    """A client as it knows itself."""

    client_id: str
    secret: str | None = field(default=None, repr=False)
    method: str = "none"
    redirect_uri: str = CALLBACK


@dataclass
class Flow:
    """What a client and its user do, step by step."""

    http: httpx2.AsyncClient
    browser: Browser

    async def register(self, **metadata: Any) -> App:
        """Register a client; public and for one https callback, unless told otherwise."""
        wanted = {"redirect_uris": [CALLBACK], "client_name": "App", "token_endpoint_auth_method": "none"} | metadata
        response = await self.http.post("/oauth/register", json=wanted)
        assert response.status_code == 201, response.text
        made = response.json()
        return App(
            made["client_id"],
            made.get("client_secret"),
            made["token_endpoint_auth_method"],
            made["redirect_uris"][0],
        )

    async def ask(self, app: App, **changes: str | None) -> httpx2.Response:
        """Open the consent page."""
        return await self.browser.get(authorize_url(app, **changes))

    async def decide(self, app: App, decision: str = "allow", *scopes: str, **changes: str | None) -> httpx2.Response:
        """Open the page and press a button; without scopes, all that it offers are left ticked."""
        page = await self.ask(app, **changes)
        assert page.status_code == 200, page.text
        offered = re.findall(r'name="(allow:[^"]+)"', page.text)
        ticked = [f"allow:{scope}" for scope in scopes] or offered
        action = re.search(r'action="([^"]*/oauth/authorize[^"]*)"', page.text)
        assert action is not None
        fields = {"csrf_token": token_in(page), "decision": decision} | dict.fromkeys(ticked, "yes")
        return await self.browser.post(unescape(action[1]), fields)

    async def code(self, app: App, *scopes: str, **changes: str | None) -> str:
        """A code, once the user has agreed."""
        response = await self.decide(app, "allow", *scopes, **changes)
        return answer_of(response)["code"]

    async def exchange(self, app: App, code: str, **changes: str | None) -> httpx2.Response:
        """Exchange a code."""
        given = {"grant_type": "authorization_code", "code": code, "redirect_uri": app.redirect_uri,
                 "code_verifier": VERIFIER, "resource": MCP} | changes  # fmt: skip
        return await self.token(app, given)

    async def refresh(self, app: App, refresh_token: str, **changes: str | None) -> httpx2.Response:
        """Use a refresh token."""
        return await self.token(app, {"grant_type": "refresh_token", "refresh_token": refresh_token} | changes)

    async def token(self, app: App, given: Mapping[str, str | None], path: str = "/oauth/token") -> httpx2.Response:
        """Any request of a client that proves who it is by its own method."""
        fields, headers = {name: value for name, value in given.items() if value is not None}, {}
        if app.method == "client_secret_basic":
            headers["authorization"] = basic(app.client_id, app.secret or "")
        else:
            fields |= {"client_id": app.client_id}
        if app.method == "client_secret_post":
            fields["client_secret"] = app.secret or ""
        return await self.http.post(path, data=fields, headers=headers)

    async def revoke(self, app: App, token: str) -> httpx2.Response:
        """Give a token up."""
        return await self.token(app, {"token": token}, "/oauth/revoke")

    async def tokens(self, app: App, *scopes: str, **changes: str | None) -> dict[str, Any]:
        """Tokens by the whole flow."""
        code = await self.code(app, *scopes, **changes)
        response = await self.exchange(app, code, resource=changes.get("resource", MCP))
        assert response.status_code == 200, response.text
        issued: dict[str, Any] = response.json()
        return issued


def authorize_url(app: App, **changes: str | None) -> str:
    """The address to which a client sends its user."""
    query = {"response_type": "code", "client_id": app.client_id, "redirect_uri": app.redirect_uri,
             "code_challenge": CHALLENGE, "code_challenge_method": "S256", "state": STATE, "resource": MCP,
             } | changes  # fmt: skip
    return "/oauth/authorize?" + urlencode({name: value for name, value in query.items() if value is not None})


def answer_of(response: httpx2.Response) -> dict[str, str]:
    """What a redirect tells the client; asserted to come from this issuer, for this request."""
    assert response.status_code in (302, 303), response.text
    told = dict(parse_qsl(urlsplit(response.headers["location"]).query, strict_parsing=True))
    assert told.get("iss") == ISSUER
    return told


def error_of(response: httpx2.Response) -> tuple[int, str]:
    """Status and code of a refused request, whose answer nobody may keep."""
    body = response.json()
    assert response.headers["cache-control"] == "no-store"
    assert body["error_description"]
    return response.status_code, body["error"]


def basic(client_id: str, secret: str) -> str:
    """The header of a client with a secret."""
    return "Basic " + base64.b64encode(f"{client_id}:{secret}".encode()).decode()


@contextlib.asynccontextmanager
async def flow_of(server: Server, owner: Owner, address: str = "192.0.2.7") -> AsyncIterator[Flow]:
    """A client's backend, and the browser of somebody who has logged in."""
    transport = httpx2.ASGITransport(app=server.app, client=(address, 50_000))
    async with (
        started(server.app),
        httpx2.AsyncClient(transport=transport, base_url=ISSUER) as http,
        a_browser(server.app) as browser,
    ):
        await browser.log_in(owner.email)
        yield Flow(http, browser)


def is_public_or_here(address: IpAddress) -> bool:
    return is_public(address) or str(address) == "127.0.0.1"


class Line(httpx2.AsyncBaseTransport):
    """The way to a service, which may be cut."""

    def __init__(self, app: ASGIApp) -> None:
        self._inner = httpx2.ASGITransport(app=app)
        self.is_cut = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Forward it, or fail to connect."""
        if self.is_cut:
            raise httpx2.ConnectError("cut", request=request)
        return await self._inner.handle_async_request(request)


@dataclass
class DocumentService:
    """The real service that fetches documents, on an origin of the test."""

    origin: Origin
    documents: ServiceDocuments
    line: Line

    def publish(self, path: str, document: Mapping[str, Any], **headers: str) -> str:
        """Put a document on the origin; its URL, which the document names itself."""
        url = self.origin.url(path)
        self.origin.on(path, answer(json.dumps({**document, "client_id": url}).encode(), **headers))
        return url

    def fail(self, path: str, status: str = "503 Service Unavailable") -> None:
        """From now on the origin answers with an error."""
        self.origin.on(path, answer(b"{}", status=status))


@contextlib.asynccontextmanager
async def document_service(origin: Origin, clock: Any) -> AsyncIterator[DocumentService]:
    """The service in this process; its clock is the test's, so documents grow old when the test says so."""
    settings = CimdSettings()

    def now() -> datetime:
        moment: datetime = clock()
        return moment

    fetcher = Fetcher(settings, resolver=Names({}), is_allowed=is_public_or_here, tls=trusting_context(), clock=now)
    app = build_cimd(settings, fetcher, now)
    line = Line(app)
    documents = ServiceDocuments(httpx2.AsyncClient(transport=line, base_url="http://cimd", timeout=60))
    async with app.router.lifespan_context(app):
        yield DocumentService(origin, documents, line)
        await documents.close()
