"""What is done to an account: by its owner with the password in hand, or by whoever runs the machine."""

from datetime import datetime

from threengram.core.db.database import Database
from threengram.core.db.statement import Step
from threengram.core.errors import NotFound
from threengram.core.people import queries
from threengram.core.people.audit import Action, recorded
from threengram.core.people.passwords import PasswordHashes
from threengram.core.people.sessions import others_revoked
from threengram.core.principal import Principal
from threengram.schema.enums import AccountStatus


async def change_password(
    database: Database, hashes: PasswordHashes, principal: Principal, *, current: str, new: str, now: datetime
) -> bool:
    """Whether the current password was right; then the new one holds and every other session has ended.

    Raises `InvalidRequest` for a new password that can't be accepted.
    """
    async with database.tenant(principal) as tx:
        rows = await tx.fetch_last(queries.CREDENTIALS, {"user_id": principal.user_id})
    match = await hashes.match(rows[0]["password_hash"] if rows else None, current)
    if not match.is_right:
        return False
    await _write_password(database, principal, await hashes.hash(new), Action.PASSWORD_CHANGED, now)
    return True


async def set_password(
    database: Database, hashes: PasswordHashes, principal: Principal, password: str, *, now: datetime
) -> None:
    """Give a user a password, on the machine's own authority; every session of the user ends."""
    await _write_password(database, principal, await hashes.hash(password), Action.PASSWORD_SET, now)


async def disable_user(database: Database, principal: Principal, *, now: datetime) -> None:
    """Shut an account: its sessions end for good, its keys and tokens open nothing until it is enabled again."""
    await _write_status(database, principal, AccountStatus.SUSPENDED, Action.USER_DISABLED, now)


async def enable_user(database: Database, principal: Principal, *, now: datetime) -> None:
    """Open an account again; its user has to log in anew."""
    await _write_status(database, principal, AccountStatus.ACTIVE, Action.USER_ENABLED, now)


async def _write_password(
    database: Database, principal: Principal, password_hash: str, action: Action, now: datetime
) -> None:
    row = {"user_id": principal.user_id, "password_hash": password_hash, "now": now}
    steps = [
        Step(queries.SET_PASSWORD, row),
        others_revoked(principal, now),
        recorded(action, principal, now),
    ]
    async with database.tenant(principal) as tx:
        await tx.run(steps, commit=True)


async def _write_status(
    database: Database, principal: Principal, status: AccountStatus, action: Action, now: datetime
) -> None:
    steps = [
        Step(queries.SET_STATUS, {"user_id": principal.user_id, "status": status, "now": now}),
        others_revoked(principal, now),
        recorded(action, principal, now),
    ]
    async with database.tenant(principal) as tx:
        changed, *_ = await tx.run(steps)
        if not changed:
            raise NotFound("user", str(principal.user_id))
