"""Mails that were asked for and are on their way.

The form is answered before anybody looks whether the address has an account, so that neither the answer nor its time
tells. A mail that is lost with its process is asked for again by who misses it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from threengram.api.mail.letters import Letters
from threengram.api.mail.smtp import NotSent, Smtp
from threengram.core.db.database import Database
from threengram.core.errors import Unavailable
from threengram.core.people.mailed_links import offered
from threengram.core.time.clock import Clock
from threengram.runtime.failures import error_class
from threengram.runtime.logging import get_logger
from threengram.runtime.metrics import MAILS

MAX_WAITING: Final = 100
SENDERS: Final = 2
LAST_MAILS_S: Final = 5.0
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody wants a link at this address, on the way to the path `after`."""

    address: str = field(repr=False)
    after: str
    may_sign_up: bool


class Outbox:
    """At most `MAX_WAITING` mails wait in a process; `SENDERS` are under way at once."""

    def __init__(self, database: Database, letters: Letters, smtp: Smtp, clock: Clock) -> None:
        self._database = database
        self._letters = letters
        self._smtp = smtp
        self._clock = clock
        self._asked: asyncio.Queue[Asked] = asyncio.Queue(MAX_WAITING)

    def put(self, asked: Asked) -> None:
        """Take a request; raises `Unavailable` when too many wait."""
        try:
            self._asked.put_nowait(asked)
        except asyncio.QueueFull:
            raise Unavailable("too many mails wait to be sent") from None

    async def sent(self) -> None:
        """Return once nothing waits and nothing is under way."""
        await self._asked.join()

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Send while the block runs; at its end, what is left gets `LAST_MAILS_S`."""
        senders = [asyncio.create_task(self._send()) for _ in range(SENDERS)]
        try:
            yield
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_MAILS_S):
                    await self.sent()
        finally:
            for sender in senders:
                sender.cancel()
            await asyncio.gather(*senders, return_exceptions=True)

    async def _send(self) -> None:
        while True:
            asked = await self._asked.get()
            try:
                await self._answer(asked)
            except (Unavailable, NotSent) as error:
                MAILS.labels("failed").inc()
                _log.warning("mail_failed", error_class=error_class(error.__cause__ or error))
            finally:
                self._asked.task_done()

    async def _answer(self, asked: Asked) -> None:
        link = await offered(
            self._database,
            asked.address,
            after=asked.after,
            expires_at=self._clock() + self._letters.links.lifetime,
            may_sign_up=asked.may_sign_up,
        )
        if link is None:
            MAILS.labels("nobody").inc()
            return
        await self._smtp.send(self._letters.letter(link))
        MAILS.labels("sent").inc()
        _log.info("mail_sent", kind=link.offer)
