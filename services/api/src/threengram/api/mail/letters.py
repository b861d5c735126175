"""The mails themselves: plain text, from templates."""

from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from pathlib import Path
from typing import Final
from urllib.parse import urlencode, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from threengram.core.people.mailed_links import Link, Links, Offer
from threengram.core.time.clock import Clock

CHOOSE_PATH: Final = "/password/choose"
_SUBJECTS: Final = {Offer.SIGN_UP: "Create your account", Offer.NEW_PASSWORD: "Choose a new password"}
_TEXTS: Final = Environment(
    loader=FileSystemLoader(Path(__file__).parent.parent / "templates" / "mail"),
    autoescape=False,  # noqa: S701 - plain text
    undefined=StrictUndefined,
    trim_blocks=True,
)


def url_of(issuer_url: str, sealed: str) -> str:
    """Where a link leads."""
    return f"{issuer_url}{CHOOSE_PATH}?{urlencode({'link': sealed})}"


class Letters:
    """Writes mails with links to `issuer_url`."""

    def __init__(self, links: Links, clock: Clock, *, issuer_url: str, sender: str) -> None:
        self.links = links
        self._clock = clock
        self._issuer_url = issuer_url
        self._sender = sender

    def letter(self, link: Link) -> EmailMessage:
        """The mail; marked as sent by a machine (RFC 3834), so that no machine answers."""
        url, host = url_of(self._issuer_url, self.links.seal(link)), urlsplit(self._issuer_url).netloc
        minutes = int(self.links.lifetime.total_seconds() // 60)
        message = EmailMessage()
        message["From"] = self._sender
        message["To"] = link.email
        message["Subject"] = f"{_SUBJECTS[link.offer]} · {host}"
        message["Date"] = format_datetime(self._clock())
        message["Message-ID"] = make_msgid(domain=self._sender.rpartition("@")[2].rstrip(">"))
        message["Auto-Submitted"] = "auto-generated"
        text = _TEXTS.get_template(f"{link.offer}.txt")
        message.set_content(text.render({"url": url, "host": host, "minutes": minutes}))
        return message
