"""`/oauth/authorize`: a person sees who asks for what, and says yes or no. Nothing is ever allowed without a click."""

from collections.abc import Mapping
from typing import Final, NoReturn
from urllib.parse import urlsplit

from authlib.oauth2.rfc6749.errors import InvalidScopeError, OAuth2Error
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from threengram.api.login import Logins, LoginSession
from threengram.api.oauth.wire import parameters_of
from threengram.api.pages import PageRefused, form_source, page, render, see_other
from threengram.core.oauth.authorization import AuthorizationRequest, consent, deny, destination_of, judged
from threengram.core.oauth.errors import CannotAuthorize
from threengram.core.oauth.grants import redirect_host
from threengram.core.oauth.metadata import AUTHORIZE_PATH
from threengram.core.oauth.server import AuthorizationServer
from threengram.runtime.logging import get_logger
from threengram.schema.enums import OAuthScope
from threengram.schema.oauth_requests import AuthorizationParameters
from threengram.schema.urls import is_loopback

DECISION: Final = "decision"
ALLOW: Final = "allow"
ALLOWED: Final = "yes"
_NO_STORE: Final = {"cache-control": "no-store", "referrer-policy": "no-referrer"}
_MEANINGS: Final[Mapping[OAuthScope, tuple[str, str]]] = {
    OAuthScope.MEMORY_READ: ("Read your memories", "Search and read everything that is stored about you."),
    OAuthScope.MEMORY_WRITE: ("Write memories", "Store new memories, correct and archive them. Nothing is erased."),
    OAuthScope.ACCOUNT: ("Manage your account", "Export and delete what the account holds."),
}
_SHOWN: Final = {
    "redirect_uri_mismatch": "The application wants the answer at an address that it did not register.",
    "not_registered": "The application is not registered here, or not any more. Remove this server in the "
    "application, add it again and connect anew.",
    "malformed": "The application sent a request that can't be understood.",
}
_UNDESCRIBED: Final = (
    "The description that the application refers to can't be used or can't be reached. Try again in a few minutes."
)
_log = get_logger(__name__)


class Authorize:
    """The consent page over one authorization server, for whoever is logged in."""

    def __init__(self, server: AuthorizationServer, logins: Logins) -> None:
        self._server = server
        self._logins = logins

    def routes(self) -> list[Route]:
        """GET shows the page, POST takes the decision."""
        limits = self._logins.limits
        rule = limits.rules.authorize_address
        return [
            page(AUTHORIZE_PATH, ["GET"], self._ask, limits=limits, rule=rule),
            page(AUTHORIZE_PATH, ["POST"], self._decide, limits=limits, rule=rule),
        ]

    async def _ask(self, request: Request) -> Response:
        parameters = _parameters(request)
        session = await self._logins.session_of(request)
        if session is None:
            # Nobody is sent anywhere, and nothing is fetched, for who is not known here (RFC 9700, section 4.11.2).
            return self._logins.redirect(request)
        asked = await self._asked(parameters)
        if isinstance(asked, AuthorizationRequest):
            return self._page(request, session, asked)
        if request.headers.get("sec-fetch-site") == "same-origin":
            # After the login's form, whose policy a further redirect would break in some browsers. A link is free.
            return render("faulty.html", {"answer": asked}, 400)
        return RedirectResponse(asked, 302, _NO_STORE)

    async def _decide(self, request: Request) -> Response:
        session = await self._logins.session_of(request)
        if session is None:
            return self._logins.redirect(request)
        form = await self._logins.own_form(request, session)
        asked = await self._asked(_parameters(request))
        if isinstance(asked, str):
            return see_other(asked)
        if form.get(DECISION) != ALLOW:
            return see_other(deny(self._server, asked.destination))
        allowed = [scope for scope in asked.scopes if form.get(f"{ALLOW}:{scope}") == ALLOWED]
        try:
            location = await consent(self._server, session.principal, asked, allowed, self._server.clock())
        except CannotAuthorize as error:
            _refuse(error.reason)
        except InvalidScopeError:
            return self._page(request, session, asked, chose_nothing=True)
        return see_other(location)

    async def _asked(self, parameters: AuthorizationParameters) -> AuthorizationRequest | str:
        """The request to put to the person, or the redirect that tells the client what is wrong with it."""
        try:
            destination = await destination_of(self._server, parameters)
        except CannotAuthorize as error:
            _refuse(error.reason)
        try:
            return judged(self._server, parameters, destination)
        except OAuth2Error as error:
            _log.info("authorization_refused", error_code=error.error)
            return destination.refusal(self._server.issuer, error)

    def _page(
        self, request: Request, session: LoginSession, asked: AuthorizationRequest, *, chose_nothing: bool = False
    ) -> Response:
        destination = asked.destination
        context = {
            "action": f"{AUTHORIZE_PATH}?{request.url.query}",
            "csrf": session.csrf,
            "email": session.email,
            "client_name": destination.client.name,
            "metadata_host": destination.client.metadata_host,
            "redirect_host": redirect_host(destination.redirect_uri),
            "is_this_computer": is_loopback(destination.redirect_uri),
            "is_app": urlsplit(destination.redirect_uri).scheme not in ("http", "https"),
            "scopes": [(scope, *_MEANINGS[scope]) for scope in asked.scopes],
            "chose_nothing": chose_nothing,
        }
        return render(
            "consent.html", context, 400 if chose_nothing else 200,
            form_action=[form_source(destination.redirect_uri)],
        )  # fmt: skip


def _parameters(request: Request) -> AuthorizationParameters:
    """The query, each parameter once and with a value (RFC 6749, section 3.1)."""
    pairs = [(name, value) for name, value in request.query_params.multi_items() if value]
    given = dict(pairs)
    if len(given) != len(set(pairs)):
        _refuse("malformed")
    try:
        return parameters_of(AuthorizationParameters, given)
    except OAuth2Error:
        _refuse("malformed")


def _refuse(reason: str) -> NoReturn:
    _log.info("authorization_refused", reason=reason)
    raise PageRefused(400, "This application can't connect", _SHOWN.get(reason, _UNDESCRIBED))
