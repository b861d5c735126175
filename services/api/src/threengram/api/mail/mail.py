"""What a process needs to send links and to read them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from threengram.api.mail.letters import Letters
from threengram.api.mail.outbox import Outbox
from threengram.api.mail.smtp import Smtp
from threengram.api.settings import Settings
from threengram.core.people.mailed_links import PURPOSE, Links
from threengram.edge.connections import Connections


class Mail:
    """Without a mail server there is no `outbox`; links can be read all the same."""

    def __init__(self, settings: Settings, connections: Connections) -> None:
        lifetime = timedelta(minutes=settings.mailed_link_minutes)
        self.links = Links(connections.cursors.sealer(PURPOSE), lifetime)
        self.outbox: Outbox | None = None
        if settings.smtp_host is not None and settings.smtp_from is not None:
            letters = Letters(self.links, connections.clock, issuer_url=settings.issuer_url, sender=settings.smtp_from)
            self.outbox = Outbox(
                connections.database, letters, smtp_of(settings, settings.smtp_host), connections.clock
            )

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Send what is asked for while the block runs."""
        if self.outbox is None:
            yield
            return
        async with self.outbox.sending():
            yield


def smtp_of(settings: Settings, host: str) -> Smtp:
    """The mail server of the settings."""
    password = settings.smtp_password
    return Smtp(
        host=host,
        port=settings.smtp_port,
        security=settings.smtp_security,
        timeout_s=settings.smtp_timeout_s,
        user=settings.smtp_user,
        password=None if password is None else password.get_secret_value(),
        ca_file=settings.smtp_ca_file,
    )
