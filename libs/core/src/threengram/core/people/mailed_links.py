"""Links that come by mail: whoever holds the mailbox chooses the password of an account that is there, or of a new one.

A link is its own record: sealed by this installation, good for a while, and bound to the password that the account had
when the link was asked for. So nothing is stored about an address that never comes back, and once a password was
chosen, the link and all its siblings are dead.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from threengram.core.db.database import Database
from threengram.core.db.statement import Row
from threengram.core.errors import Conflict
from threengram.core.identity import provision
from threengram.core.people import queries
from threengram.core.people.accounts import access_revoked, create_user
from threengram.core.people.audit import Action, recorded
from threengram.core.people.login import is_active
from threengram.core.people.passwords import PasswordHashes
from threengram.core.people.sessions import others_revoked
from threengram.core.principal import Principal
from threengram.core.sealing import Sealer

PURPOSE: Final = "mailed-link"
LIFETIME: Final = timedelta(hours=1)
_NO_TENANT: Final = UUID(int=0)


class Offer(StrEnum):
    """What a link lets its reader do."""

    SIGN_UP = "sign_up"
    NEW_PASSWORD = "new_password"  # noqa: S105 - an offer


class Link(BaseModel):
    """What is sealed. `after` is the path where its reader was going, `password` the fingerprint of the former one."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    offer: Offer
    email: str = Field(repr=False)
    after: str
    expires_at: datetime
    password: str = ""


@dataclass(frozen=True, slots=True)
class Links:
    """Seals and opens links, alike in every replica."""

    sealer: Sealer
    lifetime: timedelta = LIFETIME

    def seal(self, link: Link) -> str:
        """URL-safe text of some hundred characters."""
        return self.sealer.seal(_NO_TENANT, link.model_dump_json().encode())

    def open(self, text: str, now: datetime) -> Link | None:
        """The link; None for one that has expired and for anything that is none."""
        opened = self.sealer.open(_NO_TENANT, text)
        if opened is None:
            return None
        try:
            link = Link.model_validate_json(opened)
        except ValidationError:
            return None
        return link if link.expires_at > now else None


async def offered(
    database: Database, address: str, *, after: str, expires_at: datetime, may_sign_up: bool
) -> Link | None:
    """The link for a normal address: to a new password for an active account, to an account where there is none."""
    owner = await provision.find_user(database, address)
    if owner is None:
        sign_up = Link(offer=Offer.SIGN_UP, email=address, after=after, expires_at=expires_at)
        return sign_up if may_sign_up else None
    rows = await _credentials(database, owner)
    if not is_active(rows):
        return None
    password = _fingerprint(rows[0]["password_hash"])
    return Link(offer=Offer.NEW_PASSWORD, email=address, after=after, expires_at=expires_at, password=password)


async def choose_password(
    database: Database, hashes: PasswordHashes, link: Link, password: str, *, now: datetime
) -> None:
    """Do what the link offers, once: an account with this password, or this password instead of the former.

    With a new password every login, app, token and API key of the account has ended. Raises `InvalidRequest` for a
    password that can't be accepted, `Conflict` for a link that has served or was overtaken.
    """
    if link.offer is Offer.SIGN_UP:
        await create_user(database, hashes, email=link.email, password=password, now=now)
        return
    owner = await provision.find_user(database, link.email)
    rows = [] if owner is None else await _credentials(database, owner)
    if owner is None or not is_active(rows) or _fingerprint(rows[0]["password_hash"]) != link.password:
        raise Conflict("the link has served already")
    row = {
        "user_id": owner.user_id,
        "former_hash": rows[0]["password_hash"],
        "password_hash": await hashes.hash(password),
        "now": now,
    }
    further = [others_revoked(owner, now), *access_revoked(owner, now), recorded(Action.PASSWORD_CHOSEN, owner, now)]
    async with database.tenant(owner) as tx:
        if not await tx.fetch(queries.REPLACE_PASSWORD, row):
            raise Conflict("the link has served already")
        await tx.run(further, commit=True)


async def _credentials(database: Database, owner: Principal) -> list[Row]:
    async with database.tenant(owner) as tx:
        return await tx.fetch_last(queries.CREDENTIALS, {"user_id": owner.user_id})


def _fingerprint(password_hash: str | None) -> str:
    """Of a password's hash, which itself leaves the database for no link."""
    return hashlib.sha256((password_hash or "").encode()).hexdigest()
