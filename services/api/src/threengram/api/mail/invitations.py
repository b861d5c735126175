"""Links that an operator hands out, by whatever way reaches the person."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self

from threengram.api.mail.letters import url_of
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.errors import Conflict, InvalidRequest
from threengram.core.people.login import normal_email
from threengram.core.people.mailboxes import is_mailbox
from threengram.core.people.mailed_links import PURPOSE, Links, offered

LIFETIME: Final = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class Invitations:
    """Good for three days: to an account, or to a new password of the one that is there."""

    links: Links
    issuer_url: str

    @classmethod
    def of(cls, cursor_key: str, issuer_url: str) -> Self:
        """With the key that every replica has; raises `ValueError` for one that is none."""
        return cls(Links(CursorSealer.from_text(cursor_key).sealer(PURPOSE)), issuer_url)

    async def url(self, database: Database, email: str, now: datetime) -> str:
        """The link. Raises `InvalidRequest`, or `Conflict` for an account that is shut."""
        address = normal_email(email)
        if not is_mailbox(address):
            raise InvalidRequest("that is no e-mail address", field="email")
        link = await offered(database, address, after="/", expires_at=now + LIFETIME, may_sign_up=True)
        if link is None:
            raise Conflict("the account is shut; open it first")
        return url_of(self.issuer_url, self.links.seal(link))
