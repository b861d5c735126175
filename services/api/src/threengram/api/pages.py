"""Web pages: plain HTML from templates, without a script, under a policy that would stop one.

`render` is the only way to a page, so no page lacks a header. `page` makes a route of a handler: it counts the call,
turns what goes wrong into an error page, and declares the rule that it counts by.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from threengram.api.files import ICON, STYLE, ServedFile
from threengram.api.limits import CountedRoute, EdgeLimits, TooMany
from threengram.core.errors import Unavailable
from threengram.runtime.body import ClientGone
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.ratelimit import Rule

Handler = Callable[[Request], Awaitable[Response]]

PAGE_TIMEOUT_S: Final = 14.0
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_HEADERS: Final = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}


def _do_nothing() -> None:
    """Nobody wants to know."""


class PageRefused(Exception):
    """Ends a request with an error page. `detail` is for the person: fixed words, never what was sent."""

    def __init__(self, status: int, title: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = headers or {}


def render(
    template: str,
    context: Mapping[str, Any],
    status_code: int = 200,
    *,
    form_action: Iterable[str] = (),
) -> Response:
    """A page. `form_action` lists further sources (see `form_source`) that its forms may end up at.

    Chromium applies `form-action` to the redirects that answer a form, so the consent page has to name its client's
    redirect target.
    """
    html = _TEMPLATES.get_template(template).render({"style": STYLE.url, "icon": ICON.url, **context})
    headers = {**_HEADERS, "content-security-policy": _policy(form_action)}
    return Response(html, status_code, headers, "text/html")


def error_page(status_code: int, title: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """A page that says what went wrong, for errors that can't be sent to a client's redirect."""
    response = render("error.html", {"title": title, "detail": detail}, status_code)
    response.headers.update(headers or {})
    return response


def see_other(path: str) -> Response:
    """Go on to a page by GET; nothing about it is stored or told to others."""
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, _HEADERS)


def form_source(url: str) -> str:
    """The CSP source that admits a redirect to `url`: its origin, or only its scheme where an origin can't be said.

    A source expression knows neither private-use schemes with a host nor IPv6 literals (CSP level 3, section 2.3.1).
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or ":" in parts.hostname:
        return f"{parts.scheme}:"
    port = "" if parts.port is None else f":{parts.port}"
    return f"{parts.scheme}://{parts.hostname}{port}"


def page(
    path: str,
    methods: Sequence[str],
    handler: Handler,
    *,
    limits: EdgeLimits,
    rule: Rule,
    counted: Iterable[Rule] = (),
    when_limited: Callable[[], None] = _do_nothing,
    timeout_s: float = PAGE_TIMEOUT_S,
) -> Route:
    """The route of a page, counted by address under `rule`; `when_limited` is told of each refusal by any limit.

    `counted` are further rules that the handler counts by itself.
    """

    async def endpoint(request: Request) -> Response:
        headers: Mapping[str, str] = {}
        try:
            headers = (await limits.by_address(rule, request)).headers
            async with deadline(timeout_s):
                response = await handler(request)
        except PageRefused as refused:
            response = error_page(refused.status, refused.title, refused.detail, refused.headers)
        except TooMany as reached:
            when_limited()
            return _too_many(reached)
        except (Unavailable, DeadlineExceeded):
            detail = "The server could not answer in time. Nothing was changed; please try again in a moment."
            response = error_page(503, "Try again", detail, {"retry-after": "1"})
        except ClientGone:
            return Response(status_code=400)
        response.headers.update(headers)
        return response

    return CountedRoute(path, endpoint, methods, rule, *counted)


def static_routes(limits: EdgeLimits) -> list[Route]:
    """The style sheet and the icon."""

    def route(file: ServedFile) -> Route:
        async def send(_request: Request) -> Response:
            return file.response()

        return page(file.path, ["GET"], send, limits=limits, rule=limits.rules.public_address)

    return [route(file) for file in (STYLE, ICON)]


def _policy(form_action: Iterable[str]) -> str:
    targets = " ".join(("'self'", *form_action))
    return (
        "default-src 'none'; style-src 'self'; img-src 'self'; "
        f"form-action {targets}; frame-ancestors 'none'; base-uri 'none'"
    )


def _too_many(reached: TooMany) -> Response:
    detail = "There were too many requests from here or about this account. Please wait a while and try again."
    return error_page(429, "Please wait", detail, reached.verdict.headers)
