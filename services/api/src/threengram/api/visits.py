"""Pages that run core's verbs for whoever is logged in, behind the same gates as REST.

    visits.page("/memories", self._list)                        # GET; others are sent to the login page first
    visits.form("/memories/{id}/archive", self._archive)        # POST; refuses a form that is no page's of ours
    ...
    found = await visit.run(get_memory, GetMemoryInput(id=memory_id))
    return visit.render("memory.html", {"memory": found})

The order is that of REST: credential, limits of address, session and user, form, then a call for each verb, whose first
round trip is admission. A foreseen failure that a page does not explain itself becomes an error page here.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.failures import Refused, status_of
from threengram.api.forms import Form
from threengram.api.login import HOME_PATH, Logins, LoginSession
from threengram.api.pages import Handler, PageRefused, page, render
from threengram.api.rate import RateLimits
from threengram.core import errors
from threengram.core.call import Call, OpenCall
from threengram.schema.base import Input, Output

In = TypeVar("In", bound=Input)
Out = TypeVar("Out", bound=Output)

_TITLES: Final[Mapping[type[errors.Error], str]] = {
    errors.Denied: "Not allowed",
    errors.InvalidRequest: "That does not work",
    errors.NotFound: "Not found",
    errors.Conflict: "Not possible now",
    errors.LimitReached: "A limit is reached",
}
NOT_FOUND: Final = "There is no such thing among yours."


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of somebody who is logged in; `form` is empty unless a form was sent."""

    session: LoginSession = field(repr=False)
    request: Request
    open_call: OpenCall
    form: Form = field(default_factory=dict, repr=False)

    async def run(self, verb: Callable[[Call, In], Awaitable[Out]], given: In) -> Out:
        """What a verb of core answers, in a unit of work of its own."""
        async with self.open_call(self.session.principal) as call:
            return await verb(call, given)

    def render(self, template: str, context: Mapping[str, Any], status_code: int = 200) -> Response:
        """A page that extends `signed_in.html`."""
        who = {"email": self.session.email, "csrf": self.session.csrf}
        return render(template, {**who, **context}, status_code)


Visited = Callable[[Visit], Awaitable[Response]]


class Visits:
    """Makes routes of handlers that need somebody to be logged in."""

    def __init__(self, logins: Logins, rates: RateLimits, open_call: OpenCall) -> None:
        self._logins = logins
        self._rates = rates
        self._open_call = open_call

    def page(self, path: str, handler: Visited) -> Route:
        """A page; after a login its reader comes back to it."""
        return self._route(path, "GET", self._reading(handler))

    def form(self, path: str, handler: Visited, *, back: str = HOME_PATH) -> Route:
        """What a form does; `back` is where somebody whose login has ended meanwhile goes on."""
        return self._route(path, "POST", self._writing(handler, back))

    def _route(self, path: str, method: str, handler: Handler) -> Route:
        limits = self._logins.limits
        counted = (self._rates.key, self._rates.user)
        return page(path, [method], handler, limits=limits, rule=limits.rules.page_address, counted=counted)

    def _reading(self, handler: Visited) -> Handler:
        async def handle(request: Request) -> Response:
            session = await self._logins.session_of(request)
            if session is None:
                return self._logins.redirect(request)
            return await self._answer(handler, Visit(session, request, self._open_call), request.url.path)

        return handle

    def _writing(self, handler: Visited, back: str) -> Handler:
        async def handle(request: Request) -> Response:
            session = await self._logins.session_of(request)
            if session is None:
                return self._logins.to_login(back)
            form = await self._logins.own_form(request, session)
            return await self._answer(handler, Visit(session, request, self._open_call, form), back)

        return handle

    async def _answer(self, handler: Visited, visit: Visit, back: str) -> Response:
        try:
            headers = await self._rates.charge(visit.session.principal)
            response = await handler(visit)
        except Refused as refused:
            detail = "There were too many requests of yours. Please wait a while and try again."
            raise PageRefused(refused.status, "Please wait", detail, refused.headers) from None
        except errors.Unauthenticated:
            # Ended between the cookie and the call.
            return self._logins.to_login(back)
        except errors.Unavailable:
            raise
        except errors.Error as error:
            raise explained(error) from error
        response.headers.update(headers)
        return response


def explained(error: errors.Error) -> PageRefused:
    """The error page of a failure of core's vocabulary."""
    title = next((_TITLES[kind] for kind in type(error).__mro__ if kind in _TITLES), "That does not work")
    detail = NOT_FOUND if isinstance(error, errors.NotFound) else sentence(str(error))
    return PageRefused(status_of(error), title, detail)


def sentence(words: str) -> str:
    """A message of core as a sentence."""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
