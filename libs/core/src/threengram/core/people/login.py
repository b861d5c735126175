"""Log in by address and password: one answer and one amount of work for whatever is wrong."""

import unicodedata
from datetime import datetime, timedelta
from typing import Final

from threengram.core.db.database import Database
from threengram.core.db.statement import Row, Step
from threengram.core.identity import provision
from threengram.core.ids import new_id
from threengram.core.people import queries
from threengram.core.people.passwords import PasswordHashes
from threengram.core.people.sessions import LIFETIME, NewSession, open_session
from threengram.core.principal import Principal
from threengram.schema.enums import AccountStatus, ActorKind

MAX_EMAIL_CHARS: Final = 254
_NOBODY: Final = ""


def normal_email(email: str) -> str:
    """The address as stored and counted: trimmed, lower case, NFC (RFC 6532); empty for what can't be one."""
    normal = unicodedata.normalize("NFC", email.strip().lower())
    return normal if len(normal) <= MAX_EMAIL_CHARS and "@" in normal and normal.isprintable() else _NOBODY


async def log_in(
    database: Database,
    hashes: PasswordHashes,
    *,
    email: str,
    password: str,
    now: datetime,
    lifetime: timedelta = LIFETIME,
) -> NewSession | None:
    """A new session; None for an unknown address, a wrong password, and an account that nobody may enter.

    Which of them it was can't be told from the answer, nor from the statements and the hash that precede it. Raises
    `Unavailable`, for too many logins at once too.
    """
    address = normal_email(email)
    owner = await provision.find_user(database, address) or _nobody()
    async with database.tenant(owner) as tx:
        rows = await tx.fetch_last(queries.CREDENTIALS, {"user_id": owner.user_id})
    stored = rows[0]["password_hash"] if rows else None
    match = await hashes.match(stored, password)
    if stored is None or not match.is_right or not is_active(rows):
        return None
    if match.needs_rehash:
        stored = await _rehash(database, hashes, owner, stored, password, now)
    is_suspended = rows[0]["tenant_status"] == AccountStatus.SUSPENDED
    return await open_session(
        database, owner, address, password_hash=stored, now=now, lifetime=lifetime, is_suspended=is_suspended
    )


async def _rehash(
    database: Database, hashes: PasswordHashes, owner: Principal, stored: str, password: str, now: datetime
) -> str:
    """The hash that the user has now: of today's parameters, unless another login or change came first."""
    row = {"password_hash": await hashes.hash(password), "former_hash": stored, "user_id": owner.user_id, "now": now}
    async with database.tenant(owner) as tx:
        _, found = await tx.run(
            [Step(queries.REHASH_PASSWORD, row), Step(queries.CREDENTIALS, {"user_id": owner.user_id})], commit=True
        )
    current = str(found[0]["password_hash"])
    is_right = current == row["password_hash"] or (await hashes.match(current, password)).is_right
    return current if is_right else stored


def is_active(rows: list[Row]) -> bool:
    """Whether `CREDENTIALS` were found, of a user who is not disabled and an account that is not erased.

    Whoever has a suspended account enters too, if only to leave it.
    """
    return any(
        row["user_status"] == AccountStatus.ACTIVE
        and row["tenant_status"] in (AccountStatus.ACTIVE, AccountStatus.SUSPENDED)
        for row in rows
    )


def _nobody() -> Principal:
    """Stands for the user that an address does not have, so that the next statement is asked all the same."""
    return Principal(new_id(), new_id(), new_id(), frozenset(), ActorKind.SYSTEM)
