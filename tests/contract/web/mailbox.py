"""A real mail server on loopback, and what arrived there."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any
from urllib.parse import urlsplit

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.contract.web.stack import ORIGIN, Pages, links_of
from threengram.api.mail.letters import Letters
from threengram.api.mail.outbox import Outbox
from threengram.api.mail.smtp import Security, Smtp
from threengram.core.call import Core

WAIT_S = 60.0
USER, PASSWORD = "mailer", "the password of the mail server"
_URL = re.compile(r"https?://\S+")


class Mailbox:
    """Takes mail for everybody, or answers with `refusal` instead."""

    def __init__(self, refusal: str | None = None) -> None:
        self.port = 0
        self.arrived: asyncio.Queue[EmailMessage] = asyncio.Queue()
        self._refusal = refusal

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        """Called by the library for each mail."""
        if self._refusal is not None:
            return self._refusal
        assert isinstance(envelope.content, bytes)
        message = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        assert envelope.rcpt_tos == [message["To"]]
        self.arrived.put_nowait(message)
        return "250 Ok"

    async def next_mail(self) -> EmailMessage:
        """The oldest mail that was not looked at."""
        async with asyncio.timeout(WAIT_S):
            return await self.arrived.get()

    def taken(self) -> list[EmailMessage]:
        """All that arrived and was not looked at."""
        return [self.arrived.get_nowait() for _ in range(self.arrived.qsize())]

    async def next_path(self) -> str:
        """Where the link of that mail leads, on the server that sent it."""
        (url,) = _URL.findall((await self.next_mail()).get_content())
        parts = urlsplit(url)
        return f"{parts.path}?{parts.query}"


@asynccontextmanager
async def a_mailbox(
    *, refusal: str | None = None, tls: ssl.SSLContext | None = None, asks_password: bool = False
) -> AsyncIterator[Mailbox]:
    """Listening on a port of its own; with `tls` only after STARTTLS, with `asks_password` only for `USER`."""
    mailbox = Mailbox(refusal)

    def is_user(*arguments: Any) -> AuthResult:
        return AuthResult(success=arguments[4] == LoginPassword(USER.encode(), PASSWORD.encode()))

    def connection() -> SMTP:
        return SMTP(
            mailbox,
            hostname="mail.example.test",
            enable_SMTPUTF8=True,
            tls_context=tls,
            require_starttls=tls is not None,
            auth_required=asks_password,
            authenticator=is_user if asks_password else None,
        )

    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    async with server:
        mailbox.port = server.sockets[0].getsockname()[1]
        yield mailbox


@dataclass
class Post:
    """Pages that can send, and where their mail arrives."""

    pages: Pages
    mailbox: Mailbox
    outbox: Outbox


def a_post_office(core: Core, smtp: Smtp) -> Outbox:
    """Hands mail over to a server; it has to be opened."""
    letters = Letters(links_of(core), core.clock, issuer_url=ORIGIN, sender="memory@example.test")
    return Outbox(core.database, letters, smtp, core.clock)


def in_the_clear(port: int, timeout_s: float = WAIT_S) -> Smtp:
    """A mail server of this machine."""
    return Smtp("127.0.0.1", port, Security.NONE, timeout_s)
