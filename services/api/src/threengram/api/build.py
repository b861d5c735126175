"""The stack from its collaborators: what `app` does with real ones, tests do with theirs."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import groupby

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from threengram.api import failures
from threengram.api.auth import Authenticator
from threengram.api.exports import Exports
from threengram.api.gates import Gates, Limits
from threengram.api.imports import ImportLimits, Imports
from threengram.api.limits import CountedRoute, EdgeLimits, Endpoint, TooMany, declare
from threengram.api.openapi import document
from threengram.api.operations import OPERATIONS, PREFIX, AnyOperation
from threengram.api.rate import RateLimits, too_many
from threengram.api.unforeseen import EXCEPTION_HANDLERS
from threengram.core.call import OpenCall
from threengram.runtime.telemetry import TraceMiddleware, starlette_route

DESCRIPTION_PATH = f"{PREFIX}/openapi.json"
DESCRIPTION_MAX_AGE_S = 300


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the stack is made from.

    `routes` are those beside the operations: pages, and what OAuth needs. `metadata_url` is where a client without a
    good token finds out how to get one; `exports` is shared with the pages. `lifespan` opens the connections behind the
    others and closes them.
    """

    authenticator: Authenticator
    rates: RateLimits
    open_call: OpenCall
    limits: Limits = field(default_factory=Limits)
    operations: tuple[AnyOperation, ...] = OPERATIONS
    routes: Sequence[Route] = ()
    metadata_url: str | None = None
    exports: Exports | None = None
    import_limits: ImportLimits = field(default_factory=ImportLimits)
    lifespan: Callable[[], AbstractAsyncContextManager[object]] = nullcontext


def build_app(collaborators: Collaborators) -> ASGIApp:
    """The ASGI application."""
    return TraceMiddleware(build_routes(collaborators), starlette_route)


def build_routes(collaborators: Collaborators) -> FastAPI:
    """Every route, without the outermost layer."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with collaborators.lifespan():
            yield

    app = FastAPI(
        openapi_url=None, redirect_slashes=False, lifespan=lifespan, exception_handlers=dict(EXCEPTION_HANDLERS)
    )
    gates = Gates(
        collaborators.authenticator,
        collaborators.rates,
        collaborators.open_call,
        collaborators.limits,
        collaborators.exports or Exports(collaborators.open_call),
        Imports(collaborators.open_call, collaborators.import_limits),
        collaborators.metadata_url,
    )
    # Literal paths first: `/memories/get` is no memory's id, whatever the method.
    ordered = sorted(collaborators.operations, key=lambda operation: ("{" in operation.path, operation.path))
    for path, operations in groupby(ordered, key=lambda operation: PREFIX + operation.path):
        _add(app, path, list(operations), gates, collaborators.rates)
    described = _description(document(collaborators.operations), EdgeLimits(collaborators.rates.limiter))
    app.router.routes += [described, Route(DESCRIPTION_PATH, _End(["GET", "HEAD"]))]
    app.router.routes += collaborators.routes
    for path in dict.fromkeys(route.path for route in collaborators.routes):
        methods = {method for route in collaborators.routes if route.path == path for method in route.methods or ()}
        app.router.routes.append(Route(path, _End(methods)))
    return app


def _description(described: bytes, limits: EdgeLimits) -> Route:
    async def describe(request: Request) -> Response:
        try:
            verdict = await limits.by_address(limits.rules.public_address, request)
        except TooMany as reached:
            return failures.of_refusal(too_many(reached.verdict))
        headers = {"cache-control": f"public, max-age={DESCRIPTION_MAX_AGE_S}", **verdict.headers}
        return Response(described, headers=headers, media_type="application/json")

    return CountedRoute(DESCRIPTION_PATH, describe, ["GET"], limits.rules.public_address)


def _add(app: FastAPI, path: str, operations: Sequence[AnyOperation], gates: Gates, rates: RateLimits) -> None:
    methods = {
        operation.method: declare(_endpoint(operation, gates), rates.key, rates.user) for operation in operations
    }
    if "GET" in methods:
        # RFC 9110, section 9.1: where there is GET there is HEAD; the server leaves the body out.
        methods["HEAD"] = methods["GET"]
    for method, endpoint in methods.items():
        app.add_api_route(path, endpoint, methods=[method])
    app.router.routes.append(Route(path, _End(methods)))


def _endpoint(operation: AnyOperation, gates: Gates) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await gates.serve(operation, request)

    return endpoint


class _End:
    """Ends a path at its own methods, so that no wider path takes the others, and says which there are."""

    def __init__(self, methods: Iterable[str]) -> None:
        self._headers = {"allow": ", ".join(sorted(methods))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise HTTPException(405, headers=self._headers)
