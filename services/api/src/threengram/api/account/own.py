"""Routes for whoever is logged in, about what is their own. Credentials are made and ended here, so no limit opens."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.breaches import Breaches
from threengram.api.forms import Form
from threengram.api.login import Logins, LoginSession
from threengram.api.pages import Handler, page, see_other
from threengram.core.db.database import Database
from threengram.core.people import accounts
from threengram.core.people.passwords import PasswordHashes
from threengram.core.time.clock import Clock

ACCOUNT_PATH: Final = "/account"
WRONG_PASSWORD: Final = "Your password is another one."  # noqa: S105 - a sentence
Shown = Callable[[LoginSession, Request], Awaitable[Response]]
Action = Callable[[LoginSession, Form, Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Own:
    """What the pages of an account stand on."""

    logins: Logins
    database: Database
    hashes: PasswordHashes
    clock: Clock
    breaches: Breaches

    def page(self, path: str, show: Shown, *, leaving: bool = False) -> Route:
        """A page; others are sent to the login page, and come back."""

        async def handle(request: Request) -> Response:
            session = await self.logins.session_of(request, leaving=leaving)
            return self.logins.redirect(request) if session is None else await show(session, request)

        return self._route(path, "GET", handle)

    def form(self, path: str, action: Action, *, leaving: bool = False) -> Route:
        """What a form of ours does; others are sent to the login page."""

        async def handle(request: Request) -> Response:
            session = await self.logins.session_of(request, leaving=leaving)
            if session is None:
                return self.logins.to_login(ACCOUNT_PATH)
            return await action(session, await self.logins.own_form(request, session), request)

        return self._route(path, "POST", handle)

    def _route(self, path: str, method: str, handler: Handler) -> Route:
        limits = self.logins.limits
        return page(path, [method], handler, limits=limits, rule=limits.rules.page_address)

    async def count_password(self, session: LoginSession) -> None:
        """Count that somebody tries a password for this account; raises `TooMany`."""
        limits = self.logins.limits
        await limits.by_account(limits.rules.password_account, str(session.principal.user_id))

    async def has_password(self, session: LoginSession, form: Form) -> bool:
        """Whether the form's `password` is the user's; counted."""
        await self.count_password(session)
        return await accounts.has_password(self.database, self.hashes, session.principal, form.get("password", ""))


def done(path: str, what: str) -> Response:
    """Back to a page, which says what was done."""
    return see_other(f"{path}?done={what}")
