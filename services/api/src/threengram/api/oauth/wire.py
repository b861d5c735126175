"""Routes that programs call: bounded bodies, the protocol's error body, no cookies and hence open to any origin."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import orjson
from authlib.oauth2.rfc6749.errors import InvalidRequestError, OAuth2Error
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.forms import Form, read_form
from threengram.api.limits import CountedRoute, EdgeLimits, TooMany
from threengram.api.pages import PageRefused
from threengram.core.errors import Unavailable
from threengram.core.oauth.errors import TemporarilyUnavailableError
from threengram.runtime.body import ClientGone
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.ratelimit import Rule
from threengram.schema.errors import issues_of

Parameters = TypeVar("Parameters", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Response]]

TIMEOUT_S: Final = 14.0
NO_STORE: Final = {"cache-control": "no-store", "pragma": "no-cache"}
_ANY_ORIGIN: Final = {"access-control-allow-origin": "*"}
_MAX_PREFLIGHT_AGE_S: Final = 86_400
_BASIC: Final = 'Basic realm="oauth"'


def json(content: Any, status: int = 200, headers: Mapping[str, str] = NO_STORE) -> Response:
    """A JSON answer that nobody keeps, unless the headers say otherwise."""
    return Response(orjson.dumps(content), status, dict(headers), "application/json")


def refusal(error: OAuth2Error, *, tried_basic: bool = False) -> Response:
    """An error as RFC 6749, section 5.2, has it; a challenge only for a client that used that scheme."""
    headers = dict(NO_STORE)
    if error.status_code == 401 and tried_basic:
        headers["www-authenticate"] = _BASIC
    if error.status_code == 503:
        headers["retry-after"] = "2"
    return json(dict(error.get_body()), error.status_code, headers)


def route(
    path: str, methods: Sequence[str], handler: Handler, *, limits: EdgeLimits, rule: Rule, timeout_s: float = TIMEOUT_S
) -> Route:
    """A route for programs on any origin, counted by address under `rule`."""
    preflight = _preflight(methods)

    async def endpoint(request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=preflight)
        response = await _answer(request, handler, limits, rule, timeout_s)
        response.headers.update(_ANY_ORIGIN)
        return response

    return CountedRoute(path, endpoint, [*methods, "OPTIONS"], rule)


async def form_of(request: Request) -> Form:
    """The parameters of a body that have a value. Raises `InvalidRequestError`."""
    try:
        form = await read_form(request)
    except PageRefused:
        raise InvalidRequestError(
            "The body must be application/x-www-form-urlencoded with each parameter once."
        ) from None
    return {name: value for name, value in form.items() if value}


def parameters_of(model: type[Parameters], given: Mapping[str, str]) -> Parameters:
    """The parameters that a model knows. Raises `InvalidRequestError`, which names them and never quotes them."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        names = ", ".join(sorted({issue.path for issue in issues_of(error)}))
        raise InvalidRequestError(f"Missing, too long or malformed: {names}.") from None


async def _answer(request: Request, handler: Handler, limits: EdgeLimits, rule: Rule, timeout_s: float) -> Response:
    tried_basic = request.headers.get("authorization", "").lower().startswith("basic")
    rate_headers: Mapping[str, str] = {}
    try:
        rate_headers = (await limits.by_address(rule, request)).headers
        async with deadline(timeout_s):
            response = await handler(request)
    except OAuth2Error as error:
        response = refusal(error, tried_basic=tried_basic)
    except TooMany as reached:
        body = {"error": "rate_limited", "error_description": "Too many requests; see Retry-After."}
        return json(body, 429, {**NO_STORE, **reached.verdict.headers})
    except (Unavailable, DeadlineExceeded):
        response = refusal(TemporarilyUnavailableError("The server can not answer now; try again."))
    except ClientGone:
        return Response(status_code=400)
    response.headers.update(rate_headers)
    return response


def _preflight(methods: Sequence[str]) -> dict[str, str]:
    return {
        **_ANY_ORIGIN,
        "access-control-allow-methods": ", ".join(methods),
        "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
        "access-control-max-age": str(_MAX_PREFLIGHT_AGE_S),
    }
