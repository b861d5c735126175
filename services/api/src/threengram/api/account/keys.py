"""`/account/keys`: API keys of whoever is logged in. A new one takes the password, since it outlives the login."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.account.own import ACCOUNT_PATH, WRONG_PASSWORD, Own, done
from threengram.api.browsing.fields import Problems, Unacceptable, arguments
from threengram.api.forms import Form
from threengram.api.login import LoginSession
from threengram.api.pages import PageRefused, render
from threengram.core.errors import LimitReached, NotFound, Unauthenticated
from threengram.core.identity.api_keys import MAX_LIVE_KEYS, NewApiKey, create_api_key, list_api_keys, revoke_api_key
from threengram.core.people.passwords import MAX_BYTES
from threengram.schema.api_keys import CreateApiKeyInput
from threengram.schema.bounds import MAX_KEY_NAME_CHARS
from threengram.schema.enums import OAuthScope

KEYS_PATH: Final = f"{ACCOUNT_PATH}/keys"
MAX_ENDED_SHOWN: Final = 25
SCOPES: Final = (
    (OAuthScope.MEMORY_READ, "read", "Read", "Search and read memories and facts."),
    (OAuthScope.MEMORY_WRITE, "write", "Write", "Store, correct and settle memories, decide proposals."),
    (OAuthScope.ACCOUNT, "account", "Manage the account", "Export everything, and delete the account for good."),
)
"""Each with the field of the form that grants it."""

LIFETIMES: Final = (("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("", "until it is revoked"))
DEFAULT_LIFETIME: Final = "90"
REVOKED: Final = "The key is revoked. It opens nothing any more."
_NO_SCOPE: Final = "Choose at least one thing that the key may do."
_FIELDS: Final = {"name": "name", "scopes": "scopes", "expiresInDays": "expires_in_days"}


class KeysPage:
    """The list, and its two forms."""

    def __init__(self, own: Own) -> None:
        self._own = own

    def routes(self) -> list[Route]:
        """The page, and one route a form."""
        return [
            self._own.page(KEYS_PATH, self._show),
            self._own.form(KEYS_PATH, self._create),
            self._own.form(KEYS_PATH + "/{key_id}/revoke", self._revoke),
        ]

    async def _show(self, session: LoginSession, request: Request) -> Response:
        is_done = request.query_params.get("done") == "revoked"
        return await self._page(session, done=REVOKED if is_done else None)

    async def _create(self, session: LoginSession, form: Form, _request: Request) -> Response:
        try:
            asked = _asked(form)
        except Unacceptable as refused:
            return await self._page(session, 400, form=form, problems=refused.problems)
        if not await self._own.has_password(session, form):
            return await self._page(session, 403, form=form, problems={"password": WRONG_PASSWORD})
        now, days = self._own.clock(), asked.expires_in_days
        try:
            made = await create_api_key(
                self._own.database,
                session.principal,
                name=asked.name,
                scopes=asked.scopes,
                now=now,
                expires_at=None if days is None else now + timedelta(days=days),
            )
        except LimitReached as error:
            return await self._page(session, 409, form=form, problems={"": f"That does not work: {error}."})
        except Unauthenticated:
            return self._own.logins.to_login(KEYS_PATH)
        # No redirect: this is the one moment at which the key is known.
        return await self._page(session, 201, made=made)

    async def _revoke(self, session: LoginSession, _form: Form, request: Request) -> Response:
        try:
            key_id = UUID(request.path_params["key_id"])
            await revoke_api_key(self._own.database, session.principal, key_id, now=self._own.clock())
        except (ValueError, NotFound):
            raise PageRefused(404, "Not found", "There is no such key among yours.") from None
        return done(KEYS_PATH, "revoked")

    async def _page(
        self,
        session: LoginSession,
        status: int = 200,
        *,
        form: Form | None = None,
        problems: Problems | None = None,
        made: NewApiKey | None = None,
        done: str | None = None,
    ) -> Response:
        now = self._own.clock()
        keys = await list_api_keys(self._own.database, session.principal)
        context: dict[str, Any] = {
            "email": session.email,
            "csrf": session.csrf,
            "live": [key for key in keys if key.is_live(now)],
            "ended": [key for key in keys if not key.is_live(now)][:MAX_ENDED_SHOWN],
            "max_live": MAX_LIVE_KEYS,
            "scopes": SCOPES,
            "lifetimes": LIFETIMES,
            "given": {"read": "yes", "expires_in_days": DEFAULT_LIFETIME} if form is None else form,
            "problems": problems or {},
            "made": made,
            "done": done,
            "max_name_chars": MAX_KEY_NAME_CHARS,
            "max_bytes": MAX_BYTES,
        }
        return render("keys.html", context, status)


def _asked(form: Form) -> CreateApiKeyInput:
    """What the form asks for; raises `Unacceptable`."""
    scopes = [scope for scope, field, *_ in SCOPES if form.get(field) == "yes"]
    if not scopes:
        raise Unacceptable({"scopes": _NO_SCOPE})
    days = form.get("expires_in_days", "")
    given = {"name": form.get("name", ""), "scopes": scopes, "expiresInDays": _number(days) if days else None}
    return arguments(CreateApiKeyInput, given, _FIELDS)


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
