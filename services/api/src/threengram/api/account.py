"""The account page: where one is logged in, what is connected, the password."""

from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.forms import Form
from threengram.api.login import Logins, LoginSession
from threengram.api.pages import Handler, PageRefused, page, render, see_other
from threengram.core.db.database import Database
from threengram.core.errors import InvalidRequest, NotFound
from threengram.core.oauth.grants import list_grants, revoke_grant
from threengram.core.people import accounts, sessions
from threengram.core.people.passwords import MAX_BYTES, MIN_CHARS, PasswordHashes
from threengram.core.time.clock import Clock

ACCOUNT_PATH: Final = "/account"
DONE: Final = {
    "password": "Your password was changed. You are logged out everywhere else.",
    "session": "That login has ended.",
    "sessions": "You are logged out everywhere else.",
    "app": "The app is disconnected. It can't read or write your memories any more.",
}
"""What the page says after a change, by the value of `done` in its address."""

Action = Callable[[LoginSession, Form, Request], Awaitable[Response]]


class AccountPages:
    """`/account` and what its forms do."""

    def __init__(self, logins: Logins, database: Database, hashes: PasswordHashes, clock: Clock) -> None:
        self._logins = logins
        self._database = database
        self._hashes = hashes
        self._clock = clock

    def routes(self) -> list[Route]:
        """The page, and one route a form."""
        limits = self._logins.limits
        rule = limits.rules.page_address
        actions: dict[str, Action] = {
            "/password": self._change_password,
            "/apps/{grant_id}/revoke": self._revoke_app,
            "/sessions/revoke-others": self._revoke_others,
            "/sessions/{session_id}/revoke": self._revoke_session,
        }
        return [
            page(ACCOUNT_PATH, ["GET"], self._show, limits=limits, rule=rule),
            *(
                page(ACCOUNT_PATH + path, ["POST"], self._acting(action), limits=limits, rule=rule)
                for path, action in actions.items()
            ),
        ]

    def _acting(self, action: Action) -> Handler:
        """The handler of a form of ours, for whoever is logged in; others are sent to the login page."""

        async def handle(request: Request) -> Response:
            session = await self._logins.session_of(request)
            if session is None:
                return self._logins.to_login(ACCOUNT_PATH)
            return await action(session, await self._logins.own_form(request, session), request)

        return handle

    async def _show(self, request: Request) -> Response:
        session = await self._logins.session_of(request)
        if session is None:
            return self._logins.redirect(request)
        return await self._page(session, done=DONE.get(request.query_params.get("done", "")))

    async def _page(
        self,
        session: LoginSession,
        status: int = 200,
        *,
        done: str | None = None,
        problem: str | None = None,
    ) -> Response:
        context: dict[str, Any] = {
            "email": session.email,
            "csrf": session.csrf,
            "own_id": session.session_id,
            "apps": await list_grants(self._database, session.principal, now=self._clock()),
            "sessions": await sessions.list_sessions(self._database, session.principal, self._clock()),
            "done": done,
            "problem": problem,
            "min_chars": MIN_CHARS,
            "max_bytes": MAX_BYTES,
        }
        return render("account.html", context, status)

    async def _change_password(self, session: LoginSession, form: Form, _request: Request) -> Response:
        limits = self._logins.limits
        await limits.by_account(limits.rules.password_account, str(session.principal.user_id))
        new = form.get("new_password", "")
        if new != form.get("repeated_password", ""):
            return await self._page(session, 400, problem="The two new passwords differ.")
        try:
            is_changed = await accounts.change_password(
                self._database,
                self._hashes,
                session.principal,
                current=form.get("current_password", ""),
                new=new,
                now=self._clock(),
                revoke_access=form.get("revoke_access") == "yes",
            )
        except InvalidRequest as error:
            return await self._page(session, 400, problem=f"That does not work: {error}.")
        if not is_changed:
            return await self._page(session, 403, problem="Your current password is another one.")
        return _done("password")

    async def _revoke_app(self, session: LoginSession, _form: Form, request: Request) -> Response:
        try:
            grant_id = UUID(request.path_params["grant_id"])
            await revoke_grant(self._database, session.principal, grant_id, now=self._clock())
        except (ValueError, NotFound):
            raise PageRefused(404, "Not found", "There is no such app among yours.") from None
        return _done("app")

    async def _revoke_others(self, session: LoginSession, _form: Form, _request: Request) -> Response:
        await sessions.revoke_other_sessions(self._database, session.principal, now=self._clock())
        return _done("sessions")

    async def _revoke_session(self, session: LoginSession, _form: Form, request: Request) -> Response:
        try:
            session_id = UUID(request.path_params["session_id"])
            await sessions.revoke_session(self._database, session.principal, session_id, now=self._clock())
        except (ValueError, NotFound):
            raise PageRefused(404, "Not found", "There is no such login any more.") from None
        return _done("session")


def _done(what: str) -> Response:
    return see_other(f"{ACCOUNT_PATH}?done={what}")
