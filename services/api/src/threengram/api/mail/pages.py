"""The pages on which a link is asked for, and to which it leads."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from threengram.api.breaches import Breaches
from threengram.api.forms import local_path
from threengram.api.login import FORGOTTEN_PATH, HOME_PATH, SIGN_UP_PATH, Logins
from threengram.api.mail.letters import CHOOSE_PATH
from threengram.api.mail.outbox import Asked, Outbox
from threengram.api.pages import PageRefused, page, render
from threengram.core.db.database import Database
from threengram.core.errors import Conflict, InvalidRequest
from threengram.core.people.login import normal_email
from threengram.core.people.mailboxes import is_mailbox
from threengram.core.people.mailed_links import Link, Links, Offer, choose_password
from threengram.core.people.passwords import MAX_BYTES, MIN_CHARS, PasswordHashes
from threengram.core.time.clock import Clock

MAX_AFTER_CHARS: Final = 2_048
"""Of the path that travels in a link; whoever was going further goes home."""


class LinkPages:
    """Without an `outbox` nothing can be asked for, but links that an operator hands out work."""

    def __init__(
        self,
        logins: Logins,
        links: Links,
        outbox: Outbox | None,
        database: Database,
        hashes: PasswordHashes,
        clock: Clock,
        breaches: Breaches,
    ) -> None:
        self._logins = logins
        self._links = links
        self._outbox = outbox
        self._database = database
        self._hashes = hashes
        self._clock = clock
        self._breaches = breaches

    def routes(self) -> list[Route]:
        """What is possible here."""
        limits = self._logins.limits
        rules = limits.rules
        made = [
            page(CHOOSE_PATH, ["GET"], self._show_choice, limits=limits, rule=rules.page_address),
            page(CHOOSE_PATH, ["POST"], self._choose, limits=limits, rule=rules.login_address),
        ]
        for path in (FORGOTTEN_PATH, SIGN_UP_PATH):
            if self._logins.offers(path):
                made += [
                    page(path, ["GET"], self._show_request, limits=limits, rule=rules.page_address),
                    page(path, ["POST"], self._request, limits=limits, rule=rules.link_address),
                ]
        return made

    async def _show_request(self, request: Request) -> Response:
        return self._asking(request, local_path(request.query_params.get("next"), HOME_PATH))

    def _asking(self, request: Request, after: str, *, email: str = "", problem: str | None = None) -> Response:
        context = {
            "path": request.url.path,
            "signs_up": request.url.path == SIGN_UP_PATH,
            "next": after,
            "email": email,
            "problem": problem,
        }
        return self._logins.open_form(request, "ask_for_link.html", context, 400 if problem else 200)

    async def _request(self, request: Request) -> Response:
        form = await self._logins.sent_form(request)
        after = local_path(form.get("next"), HOME_PATH)
        address = normal_email(form.get("email", ""))
        if not is_mailbox(address):
            return self._asking(request, after, email=form.get("email", ""), problem="That is no e-mail address.")
        await self._logins.limits.by_account(self._logins.limits.rules.link_account, address)
        asked = Asked(address, after if len(after) <= MAX_AFTER_CHARS else HOME_PATH, request.url.path == SIGN_UP_PATH)
        if self._outbox is not None:
            self._outbox.put(asked)
        minutes = int(self._links.lifetime.total_seconds() // 60)
        context = {"email": address, "minutes": minutes, "signs_up": asked.may_sign_up, "path": request.url.path}
        return render("link_sent.html", context)

    async def _show_choice(self, request: Request) -> Response:
        sealed = request.query_params.get("link", "")
        return self._choosing(request, sealed, self._opened(sealed))

    def _choosing(self, request: Request, sealed: str, link: Link, *, problem: str | None = None) -> Response:
        context: dict[str, Any] = {
            "link": sealed,
            "email": link.email,
            "signs_up": link.offer is Offer.SIGN_UP,
            "problem": problem,
            "min_chars": MIN_CHARS,
            "max_bytes": MAX_BYTES,
        }
        return self._logins.open_form(request, "choose_password.html", context, 400 if problem else 200)

    async def _choose(self, request: Request) -> Response:
        form = await self._logins.sent_form(request)
        sealed, password = form.get("link", ""), form.get("new_password", "")
        link = self._opened(sealed)
        if password != form.get("repeated_password", ""):
            return self._choosing(request, sealed, link, problem="The two passwords differ.")
        try:
            await self._breaches.require_unknown(password)
            await choose_password(self._database, self._hashes, link, password, now=self._clock())
        except InvalidRequest as error:
            return self._choosing(request, sealed, link, problem=f"That does not work: {error}.")
        except Conflict:
            raise _served() from None
        entered = await self._logins.enter(request, email=link.email, password=password, after=link.after)
        return entered or self._logins.to_login(link.after)

    def _opened(self, sealed: str) -> Link:
        link = self._links.open(sealed, self._clock())
        if link is None:
            raise _served()
        return link


def _served() -> PageRefused:
    detail = "It has been used, or it is too old. Ask for another one on the login page."
    return PageRefused(410, "This link does not work any more", detail)
