"""The account page: where one is logged in, what is connected, the password."""

from typing import Any, Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.account.own import ACCOUNT_PATH, Own, done
from threengram.api.forms import Form
from threengram.api.login import LoginSession
from threengram.api.pages import PageRefused, render
from threengram.core.errors import InvalidRequest, NotFound
from threengram.core.oauth.grants import list_grants, revoke_grant
from threengram.core.people import accounts, sessions
from threengram.core.people.passwords import MAX_BYTES, MIN_CHARS

DONE: Final = {
    "password": "Your password was changed. You are logged out everywhere else.",
    "session": "That login has ended.",
    "sessions": "You are logged out everywhere else.",
    "app": "The app is disconnected. It can't read or write your memories any more.",
}
"""What the page says after a change, by the value of `done` in its address."""


class OverviewPage:
    """`/account` and what its forms do."""

    def __init__(self, own: Own) -> None:
        self._own = own

    def routes(self) -> list[Route]:
        """The page, and one route a form."""
        return [
            self._own.page(ACCOUNT_PATH, self._show),
            self._own.form(f"{ACCOUNT_PATH}/password", self._change_password),
            self._own.form(ACCOUNT_PATH + "/apps/{grant_id}/revoke", self._revoke_app),
            self._own.form(f"{ACCOUNT_PATH}/sessions/revoke-others", self._revoke_others),
            self._own.form(ACCOUNT_PATH + "/sessions/{session_id}/revoke", self._revoke_session),
        ]

    async def _show(self, session: LoginSession, request: Request) -> Response:
        return await self._page(session, done=DONE.get(request.query_params.get("done", "")))

    async def _page(
        self,
        session: LoginSession,
        status: int = 200,
        *,
        done: str | None = None,
        problem: str | None = None,
    ) -> Response:
        own = self._own
        context: dict[str, Any] = {
            "email": session.email,
            "csrf": session.csrf,
            "own_id": session.session_id,
            "apps": await list_grants(own.database, session.principal, now=own.clock()),
            "sessions": await sessions.list_sessions(own.database, session.principal, own.clock()),
            "done": done,
            "problem": problem,
            "min_chars": MIN_CHARS,
            "max_bytes": MAX_BYTES,
        }
        return render("account.html", context, status)

    async def _change_password(self, session: LoginSession, form: Form, _request: Request) -> Response:
        await self._own.count_password(session)
        new = form.get("new_password", "")
        if new != form.get("repeated_password", ""):
            return await self._page(session, 400, problem="The two new passwords differ.")
        try:
            await self._own.breaches.require_unknown(new)
            is_changed = await accounts.change_password(
                self._own.database,
                self._own.hashes,
                session.principal,
                current=form.get("current_password", ""),
                new=new,
                now=self._own.clock(),
                revoke_access=form.get("revoke_access") == "yes",
            )
        except InvalidRequest as error:
            return await self._page(session, 400, problem=f"That does not work: {error}.")
        if not is_changed:
            return await self._page(session, 403, problem="Your current password is another one.")
        return done(ACCOUNT_PATH, "password")

    async def _revoke_app(self, session: LoginSession, _form: Form, request: Request) -> Response:
        try:
            grant_id = UUID(request.path_params["grant_id"])
            await revoke_grant(self._own.database, session.principal, grant_id, now=self._own.clock())
        except (ValueError, NotFound):
            raise PageRefused(404, "Not found", "There is no such app among yours.") from None
        return done(ACCOUNT_PATH, "app")

    async def _revoke_others(self, session: LoginSession, _form: Form, _request: Request) -> Response:
        await sessions.revoke_other_sessions(self._own.database, session.principal, now=self._own.clock())
        return done(ACCOUNT_PATH, "sessions")

    async def _revoke_session(self, session: LoginSession, _form: Form, request: Request) -> Response:
        try:
            session_id = UUID(request.path_params["session_id"])
            await sessions.revoke_session(self._own.database, session.principal, session_id, now=self._own.clock())
        except (ValueError, NotFound):
            raise PageRefused(404, "Not found", "There is no such login any more.") from None
        return done(ACCOUNT_PATH, "session")
