"""The stack from its collaborators: what `app` does with real ones, tests do with theirs."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from threengram.core.call import OpenCall
from threengram.core.oauth.metadata import resource_metadata, server_metadata
from threengram.core.oauth.resources import MCP_PATH, ProtectedResources
from threengram.core.time.clock import Clock, system_clock
from threengram.gateway.answers import Answers
from threengram.gateway.auth import BearerGate, Challenge, TokenVerifier
from threengram.gateway.completions import Completions
from threengram.gateway.dispatch import Dispatcher
from threengram.gateway.http import origins
from threengram.gateway.http.edge import Edge
from threengram.gateway.http.endpoint import McpEndpoint
from threengram.gateway.http.metadata import RESOURCE_PATH, SERVER_PATH, PublicDocument
from threengram.gateway.http.rate import RateLimit, RateLimitGate
from threengram.gateway.http.routing_headers import header_labels
from threengram.gateway.resources import Resources
from threengram.gateway.server import build_server
from threengram.gateway.tools.tool import Tool
from threengram.runtime.json import EXCEPTION_HANDLERS
from threengram.runtime.ratelimit import Limiter
from threengram.runtime.telemetry import TraceMiddleware, starlette_route


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one request."""

    calls_per_minute: int = 600
    max_body_bytes: int = 1_048_576
    request_timeout_s: float = 14.0


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the stack is made from. `lifespan` opens the connections behind the others and closes them."""

    tools: Sequence[Tool[Any, Any]]
    verifier: TokenVerifier
    limiter: Limiter
    open_call: OpenCall
    clock: Clock = system_clock
    lifespan: Callable[[], AbstractAsyncContextManager[object]] = nullcontext


class _Labelled:
    """Leaves closed labels of the routing headers for refusals that happen before the body is read."""

    def __init__(self, app: ASGIApp, tools: frozenset[str]) -> None:
        self._app = app
        self._tools = tools

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"]["labels"] = header_labels(scope, self._tools)
        await self._app(scope, receive, send)


def build_server_of(collaborators: Collaborators, limits: Limits) -> tuple[Server[Any], Dispatcher]:
    """The SDK's server and the dispatcher behind it."""
    dispatcher = Dispatcher(collaborators.tools, collaborators.open_call, limits.request_timeout_s)
    resources, completions = Resources(collaborators.open_call), Completions(collaborators.open_call)
    return build_server(dispatcher, resources, completions), dispatcher


def build_app(
    collaborators: Collaborators,
    *,
    public_url: str,
    issuer_url: str,
    allowed_origins: Iterable[str | None] = (),
    limits: Limits | None = None,
    compose: Callable[[Collaborators, Limits], tuple[Server[Any], Dispatcher]] = build_server_of,
) -> ASGIApp:
    """The ASGI application: `/mcp` behind its gates, and the metadata that leads to a token.

    `compose` makes what is served behind them; a test that needs other prompts or resources gives its own.
    """
    limits = limits or Limits()
    server, dispatcher = compose(collaborators, limits)
    answers = Answers(server, dispatcher, collaborators.open_call, limits.request_timeout_s)
    resource = ProtectedResources(public_url=public_url, issuer=issuer_url).mcp
    challenge = Challenge(f"{public_url}{RESOURCE_PATH}{MCP_PATH}")
    rate = RateLimit(collaborators.limiter, limits.calls_per_minute)
    endpoint: ASGIApp = McpEndpoint(
        answers, challenge, rate, max_body_bytes=limits.max_body_bytes, body_timeout_s=limits.request_timeout_s
    )
    gated: ASGIApp = BearerGate(RateLimitGate(endpoint, rate), collaborators.verifier, challenge, collaborators.clock)
    mcp = Edge(_Labelled(gated, frozenset(dispatcher.tools)), origins.allowlist(allowed_origins))
    described = PublicDocument(resource_metadata(resource, issuer_url))
    server_described = PublicDocument(server_metadata(issuer_url))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with collaborators.lifespan():
            await answers.start()
            yield

    app = Starlette(
        routes=[
            Route(MCP_PATH, mcp),
            Route(f"{MCP_PATH}/", mcp),
            Route(f"{RESOURCE_PATH}{MCP_PATH}", described),
            Route(RESOURCE_PATH, described),
            Route(f"{SERVER_PATH}{MCP_PATH}", server_described),
            Route(SERVER_PATH, server_described),
        ],
        exception_handlers=EXCEPTION_HANDLERS,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return TraceMiddleware(app, starlette_route)
