"""What is done to an account: by its owner with the password in hand, or by whoever runs the machine."""

from collections.abc import Sequence
from datetime import datetime

from threengram.core.db.database import Database, UniqueViolated
from threengram.core.db.statement import Step
from threengram.core.errors import Conflict, InvalidRequest, NotFound
from threengram.core.identity import provision
from threengram.core.people import queries
from threengram.core.people.audit import Action, recorded
from threengram.core.people.login import normal_email
from threengram.core.people.passwords import PasswordHashes
from threengram.core.people.sessions import others_revoked
from threengram.core.principal import Principal
from threengram.schema.enums import AccountStatus

EVERYTHING = (queries.REVOKE_FAMILIES, queries.REVOKE_GRANTS, queries.REVOKE_TOKENS, queries.REVOKE_API_KEYS)
"""What acts for a user besides sessions; families first, as a request for tokens takes the locks."""


async def create_user(
    database: Database, hashes: PasswordHashes, *, email: str, password: str, now: datetime
) -> Principal:
    """A new user with a tenant of its own. Raises `InvalidRequest`, or `Conflict` for an address that is taken."""
    address = normal_email(email)
    if not address:
        raise InvalidRequest("that is no e-mail address", field="email")
    password_hash = await hashes.hash(password)
    try:
        principal = await provision.create_tenant(database, email=address, name=address, now=now)
    except UniqueViolated:
        raise Conflict("there is a user with this address already") from None
    await _write_password(database, principal, password_hash, [recorded(Action.USER_CREATED, principal, now)], now)
    return principal


async def change_password(
    database: Database,
    hashes: PasswordHashes,
    principal: Principal,
    *,
    current: str,
    new: str,
    now: datetime,
    revoke_access: bool = False,
) -> bool:
    """Whether the current password was right, and stayed so; then the new one holds and every other session has ended.

    With `revoke_access` the user's API keys, tokens and connected apps have ended too. Raises `InvalidRequest` for a
    new password that can't be accepted.
    """
    stored = await _stored_hash(database, principal)
    if stored is None or not (await hashes.match(stored, current)).is_right:
        return False
    row = {"user_id": principal.user_id, "password_hash": await hashes.hash(new), "former_hash": stored, "now": now}
    steps = access_revoked(principal, now) if revoke_access else []
    steps += [others_revoked(principal, now), recorded(Action.PASSWORD_CHANGED, principal, now)]
    async with database.tenant(principal) as tx:
        # Whoever gave the user another one meanwhile may have done so because this one was stolen.
        if not await tx.fetch(queries.REHASH_PASSWORD, row):
            return False
        await tx.run(steps, commit=True)
    return True


async def has_password(database: Database, hashes: PasswordHashes, principal: Principal, password: str) -> bool:
    """Whether this is the user's password."""
    return (await hashes.match(await _stored_hash(database, principal), password)).is_right


async def can_log_in(database: Database, principal: Principal) -> bool:
    """Whether the user has a password at all."""
    return await _stored_hash(database, principal) is not None


async def set_password(
    database: Database,
    hashes: PasswordHashes,
    principal: Principal,
    password: str,
    *,
    now: datetime,
    revoke_access: bool = False,
) -> None:
    """Give a user a password, on the machine's own authority; every session of the user ends."""
    steps = access_revoked(principal, now) if revoke_access else []
    steps.append(recorded(Action.PASSWORD_SET, principal, now))
    await _write_password(database, principal, await hashes.hash(password), steps, now)


async def disable_user(database: Database, principal: Principal, *, now: datetime) -> None:
    """Shut an account: its sessions end for good, its keys and tokens open nothing until it is enabled again."""
    await _write_status(database, principal, AccountStatus.SUSPENDED, Action.USER_DISABLED, now)


async def suspend_account(database: Database, principal: Principal, *, now: datetime) -> None:
    """Let nobody read or write in an account until it is enabled again; its users can export and delete it."""
    steps = [
        Step(queries.SET_TENANT_STATUS, {"status": AccountStatus.SUSPENDED}),
        recorded(Action.ACCOUNT_SUSPENDED, principal, now, principal.tenant_id),
    ]
    async with database.tenant(principal) as tx:
        changed, _ = await tx.run(steps)
        if not changed:
            raise NotFound("user", str(principal.user_id))


async def enable_user(database: Database, principal: Principal, *, now: datetime) -> None:
    """Open an account again, whether it or its user was shut; a user who was disabled has to log in anew."""
    opened = Step(queries.SET_TENANT_STATUS, {"status": AccountStatus.ACTIVE})
    await _write_status(database, principal, AccountStatus.ACTIVE, Action.USER_ENABLED, now, opened)


async def _stored_hash(database: Database, principal: Principal) -> str | None:
    async with database.tenant(principal) as tx:
        rows = await tx.fetch_last(queries.CREDENTIALS, {"user_id": principal.user_id})
    return rows[0]["password_hash"] if rows else None


async def _write_password(
    database: Database, principal: Principal, password_hash: str, further: Sequence[Step], now: datetime
) -> None:
    row = {"user_id": principal.user_id, "password_hash": password_hash, "now": now}
    steps = [Step(queries.SET_PASSWORD, row), others_revoked(principal, now), *further]
    async with database.tenant(principal) as tx:
        await tx.run(steps, commit=True)


async def _write_status(
    database: Database, principal: Principal, status: AccountStatus, action: Action, now: datetime, *further: Step
) -> None:
    steps = [
        Step(queries.SET_STATUS, {"user_id": principal.user_id, "status": status, "now": now}),
        *further,
        others_revoked(principal, now),
        recorded(action, principal, now),
    ]
    async with database.tenant(principal) as tx:
        changed, *_ = await tx.run(steps)
        if not changed:
            raise NotFound("user", str(principal.user_id))


def access_revoked(principal: Principal, now: datetime) -> list[Step]:
    """The steps that end what acts for the user besides sessions."""
    parameters = {"user_id": principal.user_id, "now": now}
    steps = [Step(statement, parameters) for statement in EVERYTHING]
    return [*steps, recorded(Action.ACCESS_REVOKED, principal, now)]
