"""The two cookies: of a login session, and of a login form that has no session yet.

Both are for this host only, out of reach of scripts, and not sent along by other sites' forms. Where the server is
reached by https they are `Secure` and carry the prefix `__Host-`, which makes a browser refuse them from a
neighbouring subdomain (RFC 6265bis, section 4.1.3).
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

FORM_LIFETIME: Final = timedelta(hours=1)
_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}", flags=re.ASCII)


@dataclass(frozen=True, slots=True)
class Cookies:
    """Names and flags, by whether the public URL is https."""

    is_secure: bool

    def session(self, request: Request) -> str | None:
        """The secret of the session."""
        return request.cookies.get(self._name("session"))

    def form(self, request: Request) -> str | None:
        """The secret of the login form; None for a value that we can't have set."""
        secret = request.cookies.get(self._name("form"), "")
        return secret if _FORM.fullmatch(secret) else None

    def set_session(self, response: Response, secret: str, lifetime: timedelta) -> None:
        """Begin a session in this browser; the form's cookie has served."""
        self._set(response, "session", secret, lifetime)
        self._clear(response, "form")

    def set_form(self, response: Response, secret: str) -> None:
        """Bind a login form to this browser."""
        self._set(response, "form", secret, FORM_LIFETIME)

    def clear_session(self, response: Response) -> None:
        """Forget the session."""
        self._clear(response, "session")

    def _name(self, kind: str) -> str:
        return f"{'__Host-' if self.is_secure else ''}threengram_{kind}"

    def _set(self, response: Response, kind: str, value: str, lifetime: timedelta) -> None:
        response.set_cookie(
            self._name(kind),
            value,
            max_age=int(lifetime.total_seconds()),
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="lax",
        )

    def _clear(self, response: Response, kind: str) -> None:
        response.delete_cookie(self._name(kind), path="/", secure=self.is_secure, httponly=True, samesite="lax")
