"""Taking an account along, and taking it away."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.account.own import ACCOUNT_PATH, WRONG_PASSWORD, Own
from threengram.api.exports import Exports
from threengram.api.forms import Form
from threengram.api.login import LEAVING_PATH, LoginSession
from threengram.api.pages import error_page, page, render, see_other
from threengram.api.visits import explained
from threengram.core.erasure import request_erasure
from threengram.core.errors import Conflict, Error, Unavailable
from threengram.core.people.passwords import MAX_BYTES
from threengram.runtime.deadline import DeadlineExceeded

EXPORT_PATH: Final = f"{ACCOUNT_PATH}/export"
DELETED_PATH: Final = f"{ACCOUNT_PATH}/deleted"


class LeavingPages:
    """The download of an export, and the deletion of an account."""

    def __init__(self, own: Own, exports: Exports) -> None:
        self._own = own
        self._exports = exports

    def routes(self) -> list[Route]:
        """A form that downloads, a page that asks whether it is meant, its form, and what is left to say."""
        limits = self._own.logins.limits
        return [
            self._own.form(EXPORT_PATH, self._export, leaving=True),
            self._own.page(LEAVING_PATH, self._show, leaving=True),
            self._own.form(LEAVING_PATH, self._delete, leaving=True),
            page(DELETED_PATH, ["GET"], _say_goodbye, limits=limits, rule=limits.rules.page_address),
        ]

    async def _export(self, session: LoginSession, _form: Form, _request: Request) -> Response:
        return self._exports.download(session.principal, _not_exported)

    async def _show(self, session: LoginSession, _request: Request) -> Response:
        return _asking(session)

    async def _delete(self, session: LoginSession, form: Form, _request: Request) -> Response:
        if form.get("confirm") != "yes":
            return _asking(session, 400, problem="Say that you know what goes.")
        if not await self._own.has_password(session, form):
            return _asking(session, 403, problem=WRONG_PASSWORD)
        try:
            await request_erasure(self._own.database, session.principal, now=self._own.clock())
        except Conflict as error:
            return _asking(session, 409, problem=f"That does not work: {error}.")
        response = see_other(DELETED_PATH)
        self._own.logins.cookies.clear_session(response)
        return response


def _asking(session: LoginSession, status: int = 200, *, problem: str | None = None) -> Response:
    context: dict[str, Any] = {
        "email": session.email,
        "csrf": session.csrf,
        "is_suspended": session.is_suspended,
        "problem": problem,
        "max_bytes": MAX_BYTES,
    }
    return render("delete_account.html", context, status)


async def _say_goodbye(_request: Request) -> Response:
    return render("account_deleted.html", {})


def _not_exported(error: Error | DeadlineExceeded) -> Response:
    """The page instead of a download that has not begun."""
    if isinstance(error, Unavailable | DeadlineExceeded):
        detail = "Too many people take theirs at this moment, or the server is busy. Please try again in a minute."
        return error_page(503, "Try again", detail, {"retry-after": "60"})
    refused = explained(error)
    return error_page(refused.status, refused.title, refused.detail)
