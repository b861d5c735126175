"""HTML forms: read within bounds, and only when they come from a page of ours.

A form carries a token that is derived from a cookie (HMAC, RFC 2104), so whoever can't read the cookie can't forge it.
Beside that, a request that says it comes from elsewhere (`Sec-Fetch-Site`, `Origin`) is refused.
"""

import hashlib
import hmac
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request

from threengram.api.pages import PageRefused
from threengram.runtime.body import BodyTooLarge, BodyTooSlow, read_body

MAX_FORM_BYTES: Final = 65_536
MAX_OWN_FORM_BYTES: Final = 524_288
"""Of somebody who is logged in: a correction with as many and as long facts as one write takes, each byte escaped."""
MAX_FIELDS: Final = 64
READ_TIMEOUT_S: Final = 10.0
MAX_NEXT_CHARS: Final = 8_192
CSRF_FIELD: Final = "csrf_token"

Form = dict[str, str]


async def read_form(request: Request, *, max_bytes: int = MAX_FORM_BYTES) -> Form:
    """The fields of a urlencoded form, each once; raises `PageRefused` for anything else."""
    media_type, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    if media_type.strip().lower() != "application/x-www-form-urlencoded" or charset not in ("", "utf-8"):
        raise PageRefused(415, "Not a form", "This address takes an HTML form and nothing else.")
    try:
        body = await read_body(request.receive, max_bytes=max_bytes, timeout_s=READ_TIMEOUT_S)
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except BodyTooLarge:
        raise PageRefused(413, "Too much", "The form is too large.", {"connection": "close"}) from None
    except BodyTooSlow:
        raise PageRefused(408, "Too slow", "The form did not arrive in time.", {"connection": "close"}) from None
    except ValueError:
        raise _malformed() from None
    form = dict(pairs)
    if len(form) != len(pairs):
        raise _malformed()
    return form


def csrf_token(secret: str) -> str:
    """The token of forms that go with a cookie of this value."""
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()


def require_own_form(request: Request, form: Form, secret: str | None, origin: str) -> None:
    """Raise `PageRefused` unless the form was rendered by us for the holder of the cookie with this value."""
    given = form.get(CSRF_FIELD, "")
    is_own = secret is not None and hmac.compare_digest(csrf_token(secret).encode(), given.encode())
    if not is_own or is_foreign(request, origin):
        detail = "This form has expired, or it was not sent from a page of this server. Go back, reload and try again."
        raise PageRefused(403, "Form not accepted", detail)


def is_foreign(request: Request, origin: str) -> bool:
    """Whether the request says that another site made it.

    A browser that sends `Sec-Fetch-Site` knows best. Another one sends `Origin`, which is `null` on pages that send no
    referrer, so `null` alone proves nothing; the token does.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site != "same-origin"
    return request.headers.get("origin", "null") not in ("null", origin)


def local_path(text: str | None, default: str) -> str:
    """A path on this server to go on to, or `default` for whatever could lead elsewhere."""
    if not text or len(text) > MAX_NEXT_CHARS or not text.isascii() or not text.isprintable():
        return default
    if not text.startswith("/") or text.startswith("//") or "\\" in text or " " in text:
        return default
    try:
        parts = urlsplit(text)
    except ValueError:
        return default
    return default if parts.scheme or parts.netloc else text


def _malformed() -> PageRefused:
    return PageRefused(400, "Not a form", "The form could not be read.")
