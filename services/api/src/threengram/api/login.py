"""Logging in and out, and who is logged in.

session = await logins.session_of(request)
if session is None:
    return logins.redirect(request)      # comes back here afterwards
...
form = await logins.own_form(request, session)   # refuses a form that is not ours
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.cookies import Cookies
from threengram.api.forms import MAX_OWN_FORM_BYTES, Form, csrf_token, local_path, read_form, require_own_form
from threengram.api.limits import EdgeLimits
from threengram.api.pages import PageRefused, page, render, see_other
from threengram.core.db.database import Database
from threengram.core.errors import NotFound
from threengram.core.people import login, sessions
from threengram.core.people.passwords import PasswordHashes
from threengram.core.people.sessions import LIFETIME
from threengram.core.principal import Principal
from threengram.core.time.clock import Clock
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import LOGINS

LOGIN_PATH: Final = "/login"
LOGOUT_PATH: Final = "/logout"
FORGOTTEN_PATH: Final = "/password/forgotten"
SIGN_UP_PATH: Final = "/sign-up"
HOME_PATH: Final = "/memories"
LEAVING_PATH: Final = "/account/delete"
"""Where an account is taken along or away."""
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LoginSession:
    """Who is at the browser; `csrf` goes into every form of a page for them."""

    principal: Principal
    email: str = field(repr=False)
    csrf: str = field(repr=False)
    secret: str = field(repr=False)
    is_suspended: bool

    @property
    def session_id(self) -> UUID:
        """The row of the session."""
        return self.principal.credential_id


class Logins:
    """Sessions by cookie. `issuer_url` is this service's public URL, which decides the cookies' flags.

    `ways_in` are the paths by which somebody without a password gets one.
    """

    def __init__(
        self,
        database: Database,
        hashes: PasswordHashes,
        limits: EdgeLimits,
        clock: Clock,
        *,
        issuer_url: str,
        lifetime: timedelta = LIFETIME,
        ways_in: frozenset[str] = frozenset(),
    ) -> None:
        self.limits = limits
        self._ways_in = ways_in
        self._database = database
        self._hashes = hashes
        self._clock = clock
        self._lifetime = lifetime
        parts = urlsplit(issuer_url)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.cookies = Cookies(parts.scheme == "https")

    async def session_of(self, request: Request, *, leaving: bool = False) -> LoginSession | None:
        """The session of the request's cookie while it is good.

        Of a suspended account only for what serves to leave it; raises `PageRefused`, which leads there, elsewhere.
        """
        secret = self.cookies.session(request)
        if secret is None:
            return None
        session = await sessions.find_session(self._database, secret, self._clock())
        if session is None:
            return None
        if session.is_suspended and not leaving:
            raise PageRefused(303, "Suspended", "The account is suspended.", {"location": LEAVING_PATH})
        return LoginSession(session.principal, session.email, csrf_token(secret), secret, session.is_suspended)

    def redirect(self, request: Request) -> Response:
        """To the login page, and from there back to this request's path and query."""
        query = request.url.query
        return self.to_login(request.url.path + (f"?{query}" if query else ""))

    def to_login(self, after: str) -> Response:
        """To the login page, and from there to a path of this server."""
        return see_other(f"{LOGIN_PATH}?{urlencode({'next': after})}")

    def offers(self, path: str) -> bool:
        """Whether somebody without a password can get one by this path."""
        return path in self._ways_in

    def open_form(self, request: Request, template: str, context: Mapping[str, Any], status: int = 200) -> Response:
        """A page with a form for somebody who is not logged in, bound to this browser."""
        secret = self.cookies.form(request) or secrets.token_urlsafe(32)
        response = render(template, {**context, "csrf": csrf_token(secret)}, status)
        self.cookies.set_form(response, secret)
        return response

    async def sent_form(self, request: Request) -> Form:
        """The form of such a page; raises `PageRefused` unless this browser was given it."""
        form = await read_form(request)
        require_own_form(request, form, self.cookies.form(request), self.origin)
        return form

    async def enter(self, request: Request, *, email: str, password: str, after: str) -> Response | None:
        """Log in and go on to a path of this server; None where the address and the password don't open anything."""
        new = await login.log_in(
            self._database,
            self._hashes,
            email=email,
            password=password,
            now=self._clock(),
            lifetime=self._lifetime,
        )
        if new is None:
            LOGINS.labels("refused").inc()
            _log.info("login_refused")
            return None
        await self._end_former(request)
        LOGINS.labels("ok").inc()
        _log.info("login_succeeded", user_id=new.session.principal.user_id)
        response = see_other(after)
        self.cookies.set_session(response, new.secret, self._lifetime)
        return response

    async def own_form(self, request: Request, session: LoginSession) -> Form:
        """The form of this request; raises `PageRefused` unless one of our pages sent it in this session."""
        form = await read_form(request, max_bytes=MAX_OWN_FORM_BYTES)
        require_own_form(request, form, session.secret, self.origin)
        return form

    def routes(self) -> list[Route]:
        """`/login` and `/logout`."""
        rules = self.limits.rules
        return [
            page(LOGIN_PATH, ["GET"], self._show, limits=self.limits, rule=rules.page_address),
            page(
                LOGIN_PATH,
                ["POST"],
                self._log_in,
                limits=self.limits,
                rule=rules.login_address,
                when_limited=LOGINS.labels("limited").inc,
            ),
            page(LOGOUT_PATH, ["POST"], self._log_out, limits=self.limits, rule=rules.page_address),
        ]

    async def _show(self, request: Request) -> Response:
        after = local_path(request.query_params.get("next"), HOME_PATH)
        if await self.session_of(request) is not None:
            return see_other(after)
        return self._form(request, after)

    def _form(self, request: Request, after: str, *, email: str = "", failed: bool = False) -> Response:
        context = {
            "next": after,
            "email": email,
            "failed": failed,
            "forgotten_path": FORGOTTEN_PATH if self.offers(FORGOTTEN_PATH) else None,
            "sign_up_path": SIGN_UP_PATH if self.offers(SIGN_UP_PATH) else None,
        }
        return self.open_form(request, "login.html", context, 401 if failed else 200)

    async def _log_in(self, request: Request) -> Response:
        form = await self.sent_form(request)
        after = local_path(form.get("next"), HOME_PATH)
        email = login.normal_email(form.get("email", ""))
        await self.limits.by_account(self.limits.rules.login_account, email)
        entered = await self.enter(request, email=email, password=form.get("password", ""), after=after)
        return entered or self._form(request, after, email=email, failed=True)

    async def _end_former(self, request: Request) -> None:
        former = await self.session_of(request, leaving=True)
        if former is not None:
            await self._end(former)

    async def _log_out(self, request: Request) -> Response:
        session = await self.session_of(request, leaving=True)
        if session is not None:
            await self.own_form(request, session)
            await self._end(session)
        response = see_other(LOGIN_PATH)
        self.cookies.clear_session(response)
        return response

    async def _end(self, session: LoginSession) -> None:
        try:
            await sessions.revoke_session(
                self._database, session.principal, session.principal.credential_id, now=self._clock()
            )
        except NotFound:
            return
