"""Ask for an erasure: from that moment on no credential of the account opens anything."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from threengram.core.audit import recorded
from threengram.core.db.database import STATEMENT_TIMEOUT_MS, Database, TenantTransaction
from threengram.core.db.statement import Step
from threengram.core.erasure import queries
from threengram.core.errors import Conflict
from threengram.core.jobs.queue import enqueueing
from threengram.core.principal import Principal

ERASE: Final = "erase"
QUEUE: Final = "maintenance"
ATTEMPTS: Final = 20
ACTION: Final = "account.erased"

SETTLING = timedelta(milliseconds=STATEMENT_TIMEOUT_MS + 1_000)
"""Calls that were admitted before may still commit; the job begins when they can't any more."""


@dataclass(frozen=True, slots=True)
class Requested:
    """`run_id` is the job that redacts; `was_requested` says that somebody had asked before."""

    run_id: UUID
    was_requested: bool


async def request_erasure(database: Database, principal: Principal, *, now: datetime) -> Requested:
    """Shut the account of the principal's tenant for good and enqueue its redaction. Asking twice changes nothing.

    Raises `Conflict` while the tenant has other users: their words would go with it.
    """
    async with database.tenant(principal) as tx:
        return await erasing(tx, principal, now=now)


async def erasing(tx: TenantTransaction, principal: Principal, *, now: datetime) -> Requested:
    """The same in a unit of work that has begun."""
    others = await tx.fetch(queries.OTHER_USERS, {"user_id": principal.user_id})
    if others[0]["total"]:
        raise Conflict("this account has other users; remove them first", subject_id=str(principal.tenant_id))
    shut = await tx.fetch(queries.SHUT_TENANT)
    if shut:
        await tx.run(_shutting(principal, now))
    runs = await tx.fetch(queries.LIVE_ERASURE, {"kind": ERASE})
    return Requested(runs[0]["id"], was_requested=not shut)


def _shutting(principal: Principal, now: datetime) -> list[Step]:
    at = {"now": now}
    return [
        Step(queries.SHUT_USERS, at),
        Step(queries.END_SESSIONS),
        Step(queries.REVOKE_KEYS, at),
        Step(queries.REVOKE_GRANTS, at),
        Step(queries.REVOKE_FAMILIES, at),
        Step(queries.REVOKE_TOKENS, at),
        recorded(ACTION, principal.actor, principal.user_id, now),
        enqueueing(ERASE, QUEUE, [principal.tenant_id], now=now, scheduled_at=now + SETTLING, max_attempts=ATTEMPTS),
    ]
