"""Admission: the first round trip of every call, and everything a verb must know before it touches a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from threengram.core.db.database import Database
from threengram.core.errors import AccessSuspended, TokenRevoked
from threengram.core.identity.queries import ADMISSION
from threengram.core.principal import Principal
from threengram.schema.enums import AccountStatus, RetrievalMode


@dataclass(frozen=True, slots=True)
class ActiveModel:
    """The generation of embeddings that serves searches."""

    id: int
    name: str
    dimensions: int
    calibration: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Admission:
    """The tenant's standing: its size, its retrieval policy, its names for scopes, the model that serves it.

    One that `is_suspended` admits nobody but who takes the account along or away.
    """

    is_suspended: bool
    memory_count: int
    policy_mode: RetrievalMode
    policy_scope: str | None
    aliases: Mapping[str, str]
    mappings: Mapping[str, str]
    model: ActiveModel | None


async def admit(database: Database, principal: Principal, now: datetime) -> Admission:
    """The admission of a caller whose credential still stands; raises `TokenRevoked` or `AccessSuspended`.

    A tenant that is suspended is admitted; what it may do then is the call's to know.
    """
    parameters = {"user_id": principal.user_id, "credential_id": principal.credential_id, "now": now}
    async with database.tenant(principal) as tx:
        rows = await tx.fetch_last(ADMISSION, parameters)
    if not rows or not rows[0]["credential_stands"]:
        raise TokenRevoked
    row = rows[0]
    is_suspended = row["tenant_status"] == AccountStatus.SUSPENDED
    for status in (row["user_status"],) if is_suspended else (row["tenant_status"], row["user_status"]):
        if status != AccountStatus.ACTIVE:
            raise AccessSuspended(status)
    model = None
    if row["model_id"] is not None:
        model = ActiveModel(row["model_id"], row["model_name"], row["model_dimensions"], row["model_calibration"])
    return Admission(
        is_suspended=is_suspended,
        memory_count=row["memory_count"],
        policy_mode=RetrievalMode(row["policy_mode"]),
        policy_scope=row["policy_scope"],
        aliases=row["aliases"] or {},
        mappings=row["mappings"] or {},
        model=model,
    )
