"""Users of a running stack: made, shut, opened again, given passwords; and the first one, who can log in at once."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, LiteralString

import psycopg

from threengram.api.mail.invitations import Invitations
from threengram.api.users import act
from threengram.cli.errors import CannotRun
from threengram.cli.files import write_private
from threengram.cli.requests.database import opened, user_of
from threengram.core.erasure import request_erasure
from threengram.core.people import accounts
from threengram.core.people.login import normal_email
from threengram.core.people.passwords import PasswordHashes

MAX_LISTED = 1000
_SWEEPER = "tg_sweeper"
_RESOLVER = "tg_resolver"
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP_CHARS = 4, 5


@dataclass(frozen=True)
class UserRequests:
    """Acts on one database as the runtime role, and as its owner for the list of everybody."""

    runtime_url: str = field(repr=False)
    owner_url: str = field(repr=False)
    invitations: Invitations = field(repr=False)

    async def answer(self, request: dict[str, Any], now: datetime) -> dict[str, Any]:
        """The answer to a `user` request of the control socket; raises `CannotRun` for what can't be done."""
        if request.get("action") == "list":
            return await asyncio.to_thread(self._list)
        match request:
            case {"action": "erase", "email": str(email)}:
                async with opened(self.runtime_url) as database:
                    user = await user_of(database, normal_email(email))
                    asked = await request_erasure(database, user, now=now)
                return {"id": str(user.user_id), "runId": str(asked.run_id)}
            case {"action": "invite", "email": str(email)}:
                async with opened(self.runtime_url) as database:
                    return {"url": await self.invitations.url(database, email, now)}
            case {"action": str(action), "email": str(email)}:
                password, revokes = request.get("password", ""), request.get("revokeAccess") is True
                async with opened(self.runtime_url) as database:
                    user_id = await act(database, action, email, now=now, password=password, revoke_access=revokes)
                return {"id": str(user_id)}
            case _:
                raise CannotRun("unknown user request")

    async def first_password(self, file: Path, email: str, now: datetime) -> Path | None:
        """The file with the password of the first user, who gets one if there is none yet.

        None once the user has another password than the one in the file.
        """
        with closing(PasswordHashes(threads=1)) as hashes:
            async with opened(self.runtime_url) as database:
                user = await user_of(database, email)
                known = await asyncio.to_thread(_read, file)
                if known and await accounts.has_password(database, hashes, user, known):
                    return file
                if await accounts.can_log_in(database, user):
                    return None
                password = new_password()
                await accounts.set_password(database, hashes, user, password, now=now)
                write_private(file, password.encode() + b"\n")
                return file

    def _list(self) -> dict[str, Any]:
        """Everybody by address, with what shuts them or their account; blocks.

        Only the resolver's role sees all users and only the sweeper's all accounts, and the owner may act as either.
        """
        users = "SELECT id::text AS id, status, email, tenant_id FROM users ORDER BY email LIMIT %s"
        accounts = "SELECT id, status FROM tenants WHERE id = ANY(%s) AND status <> 'active'"
        with psycopg.connect(self.owner_url, row_factory=psycopg.rows.dict_row) as owner:
            rows = _as(owner, _RESOLVER, users, MAX_LISTED + 1)
            shut = {
                row["id"]: row["status"] for row in _as(owner, _SWEEPER, accounts, [row["tenant_id"] for row in rows])
            }
        for row in rows:
            row["status"] = shut.get(row.pop("tenant_id"), row["status"])
        return {"users": rows[:MAX_LISTED], "hasMore": len(rows) > MAX_LISTED}


def _as(
    owner: psycopg.Connection[dict[str, Any]], role: str, statement: LiteralString, given: object
) -> list[dict[str, Any]]:
    owner.execute(psycopg.sql.SQL("SET LOCAL ROLE {}").format(psycopg.sql.Identifier(role)))
    return owner.execute(statement, (given,)).fetchall()


def new_password(choice: Callable[[str], str] = secrets.choice) -> str:
    """A password of 99 bits that is easy to type."""
    return "-".join("".join(choice(_ALPHABET) for _ in range(_GROUP_CHARS)) for _ in range(_GROUPS))


def _read(file: Path) -> str:
    return file.read_text().strip() if file.exists() else ""
