"""The gateway's stack with collaborators of the test: a small table of tools, known tokens, a switchable admission."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import httpx2
import uvicorn
from pydantic import Field
from starlette.types import ASGIApp, Scope

from tests.waiting import cut_short
from threengram.core import errors
from threengram.core.call import Call
from threengram.core.identity.tokens import AccessClaims, InvalidToken
from threengram.core.principal import Principal
from threengram.gateway.build import Collaborators, Limits, build_app
from threengram.gateway.tools.tool import APPEND, READ, Tool
from threengram.runtime.ratelimit import Rule, Verdict
from threengram.schema.base import Input, Output
from threengram.schema.enums import MemoryType, OAuthScope

PUBLIC_URL = "http://127.0.0.1:8300"
ISSUER_URL = "http://127.0.0.1:8301"
ORIGIN = "https://app.example"
MODERN = "2026-07-28"
LEGACY = ("2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
CANARY = "c4n4ry-of-a-private-thought"


class EchoInput(Input):
    text: str = Field(max_length=100_000)
    times: int = Field(default=1, ge=1, le=5)
    kind: MemoryType | None = None


class EchoOutput(Output):
    text: str
    tenant: UUID
    user: UUID


class ModeInput(Input):
    mode: str


async def _echo(call: Call, request: EchoInput) -> EchoOutput:
    # A turn of the loop, so that calls interleave.
    await asyncio.sleep(0)
    return EchoOutput(text=request.text * request.times, tenant=call.principal.tenant_id, user=call.principal.user_id)


_PREDECESSOR, _SUCCESSOR = "0190d3a8-7c2e-7000-8000-000000000002", "0190d3a8-7c2e-7000-8000-000000000003"
_FAILURES: Mapping[str, Exception] = {
    "not_found": errors.NotFound("memory", "0190d3a8-7c2e-7000-8000-000000000000"),
    "duplicate": errors.DuplicateMemory("0190d3a8-7c2e-7000-8000-000000000001"),
    "successor": errors.Conflict(f"superseded by {_SUCCESSOR}; revise that one", subject_id=_PREDECESSOR),
    "cursor": errors.InvalidCursor(),
    "scope": errors.InsufficientScope("memory:write"),
    "suspended": errors.AccessSuspended("suspended"),
    "unavailable": errors.Unavailable("the database is not available"),
    "crash": RuntimeError(f"postgres://user:password@host/{CANARY}"),
}


async def _fail(_call: Call, request: ModeInput) -> EchoOutput:
    if request.mode == "slow":
        await cut_short()
    if request.mode == "output":
        return cast(EchoOutput, {"text": 3, "surprise": CANARY})
    raise _FAILURES[request.mode]


def _tool(name: str, scope: OAuthScope, model: Any, handler: Any) -> Tool[Any, Any]:
    return Tool(
        name=name,
        title=name.title(),
        description=f"The tool {name}.",
        scopes=frozenset({scope}),
        annotations=READ if scope is OAuthScope.MEMORY_READ else APPEND,
        input=model,
        output=EchoOutput,
        handler=handler,
    )


FIXTURE_TOOLS: tuple[Tool[Any, Any], ...] = (
    _tool("echo", OAuthScope.MEMORY_READ, EchoInput, _echo),
    _tool("note", OAuthScope.MEMORY_WRITE, EchoInput, _echo),
    _tool("fail", OAuthScope.MEMORY_READ, ModeInput, _fail),
)


def principal_claims(*scopes: str, tenant: UUID | None = None) -> AccessClaims:
    """Claims of a fresh user."""
    expires_at = datetime.now(UTC) + timedelta(hours=1)
    return AccessClaims(tenant or uuid4(), uuid4(), uuid4(), frozenset(scopes), expires_at)


class KnownTokens:
    """Verifies by look-up."""

    def __init__(self) -> None:
        self.claims = {
            "both": principal_claims("memory:read", "memory:write"),
            "reader": principal_claims("memory:read"),
            "writer": principal_claims("memory:write"),
            "bare": principal_claims(),
        }
        self.is_down = False

    async def verify(self, token: str, now: datetime) -> AccessClaims:
        if self.is_down:
            raise errors.Unavailable("the database is not available")
        if token not in self.claims:
            raise InvalidToken("unknown_key")
        return self.claims[token]


class CountingLimiter:
    """Counts calls by key and refuses beyond the rule."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}

    async def hit(self, rule: Rule, key: str) -> Verdict:
        self.calls[key] = self.calls.get(key, 0) + 1
        used = self.calls[key]
        allowed = used <= rule.calls
        return Verdict(allowed, rule.calls, max(0, rule.calls - used), 60.0, 0.0 if allowed else 12.2)


class StubCall:
    """What the fixture's tools need of a call."""

    def __init__(self, principal: Principal, refusal: errors.Error | None) -> None:
        self.principal = principal
        self._refusal = refusal

    async def admitted(self) -> None:
        """Raise the refusal that the test asked for."""
        if self._refusal is not None:
            raise self._refusal


@dataclass
class Stack:
    """One stack and the handles on it."""

    tokens: KnownTokens = field(default_factory=KnownTokens)
    limiter: CountingLimiter = field(default_factory=CountingLimiter)
    refusals: dict[UUID, errors.Error] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    tools: tuple[Tool[Any, Any], ...] = FIXTURE_TOOLS
    origins: tuple[str, ...] = (ORIGIN,)

    @contextlib.asynccontextmanager
    async def open_call(self, principal: Principal) -> AsyncIterator[Call]:
        """A call that refuses at its end what admission refuses."""
        call = StubCall(principal, self.refusals.get(principal.credential_id))
        yield cast(Call, call)
        await call.admitted()

    def collaborators(self) -> Collaborators:
        """For `build_app` and for the SDK's transport alike."""
        return Collaborators(self.tools, self.tokens, self.limiter, self.open_call)

    def app(self) -> ASGIApp:
        """The gateway."""
        return build_app(
            self.collaborators(),
            public_url=PUBLIC_URL,
            issuer_url=ISSUER_URL,
            allowed_origins=self.origins,
            limits=self.limits,
        )

    def revoke(self, token: str) -> None:
        """Withdraw a token's row."""
        self.refusals[self.tokens.claims[token].token_id] = errors.TokenRevoked()

    def suspend(self, token: str) -> None:
        """Suspend the account behind a token."""
        self.refusals[self.tokens.claims[token].token_id] = errors.AccessSuspended("suspended")


@contextlib.asynccontextmanager
async def started(app: ASGIApp) -> AsyncIterator[None]:
    """The application's lifespan around the block."""
    inbox: asyncio.Queue[Any] = asyncio.Queue()
    outbox: asyncio.Queue[Any] = asyncio.Queue()
    scope: Scope = {"type": "lifespan", "state": {}, "asgi": {}}

    async def run() -> None:
        await app(scope, inbox.get, outbox.put)

    running = asyncio.create_task(run())
    await inbox.put({"type": "lifespan.startup"})
    assert (await outbox.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await inbox.put({"type": "lifespan.shutdown"})
        await outbox.get()
        await running


class Wire:
    """Raw requests against an application in this process."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self.http = http

    async def send(
        self,
        body: object = None,
        *,
        token: str | None = "both",
        content: bytes | None = None,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        path: str = "/mcp",
    ) -> httpx2.Response:
        """POST a body as JSON, or bytes as they are."""
        sent = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")]
        if token is not None:
            sent.append(("authorization", f"Bearer {token}"))
        extra = list(headers.items() if isinstance(headers, Mapping) else headers)
        replaced = {name.lower() for name, _ in extra}
        sent = [pair for pair in sent if pair[0] not in replaced] + extra
        if content is not None:
            return await self.http.post(path, content=content, headers=sent)
        return await self.http.post(path, json=body, headers=sent)

    async def legacy(
        self, method: str, params: Mapping[str, Any] | None = None, *, version: str | None = None, **options: Any
    ) -> httpx2.Response:
        """One request of a handshake revision."""
        headers = {**options.pop("headers", {}), **({} if version is None else {"mcp-protocol-version": version})}
        return await self.send(request_body(method, params), headers=headers, **options)

    async def modern(self, method: str, params: Mapping[str, Any] | None = None, **options: Any) -> httpx2.Response:
        """One request of 2026-07-28, its headers in agreement with its body."""
        headers = {**modern_headers(method, params or {}), **options.pop("headers", {})}
        return await self.send(modern_body(method, params), headers=headers, **options)

    async def call(self, era: str, tool: str, arguments: object = None, **options: Any) -> httpx2.Response:
        """A tool call in an era: `modern` or a handshake revision."""
        params = {"name": tool} if arguments is None else {"name": tool, "arguments": arguments}
        if era == "modern":
            return await self.modern("tools/call", params, **options)
        return await self.legacy("tools/call", params, version=era, **options)


def request_body(method: str, params: Mapping[str, Any] | None = None, request_id: object = 1) -> dict[str, Any]:
    """A JSON-RPC request."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return body if params is None else {**body, "params": params}


def modern_body(method: str, params: Mapping[str, Any] | None = None, request_id: object = 1) -> dict[str, Any]:
    """A JSON-RPC request with the 2026-07-28 envelope."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return request_body(method, {**(params or {}), "_meta": meta}, request_id)


def modern_headers(method: str, params: Mapping[str, Any]) -> dict[str, str]:
    """The headers that mirror such a request."""
    headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
    name = params.get("uri") if method == "resources/read" else params.get("name")
    return headers if name is None else {**headers, "mcp-name": str(name)}


@contextlib.asynccontextmanager
async def wire(app: ASGIApp) -> AsyncIterator[Wire]:
    """A started application and raw requests to it."""
    transport = httpx2.ASGITransport(app=app)
    async with started(app), httpx2.AsyncClient(transport=transport, base_url=PUBLIC_URL) as http:
        yield Wire(http)


class _Server(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


@contextlib.asynccontextmanager
async def served(app: ASGIApp, *, port: int = 0) -> AsyncIterator[str]:
    """The base URL of the application on a loopback socket, behind the server that production uses."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, log_config=None, http="httptools", lifespan="on", ws="none"
    )
    server = _Server(config)
    running = asyncio.create_task(server._serve())
    try:
        async with asyncio.timeout(60):
            await server.is_up.wait()
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await running
