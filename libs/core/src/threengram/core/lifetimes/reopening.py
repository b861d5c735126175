"""Make a memory live again."""

from datetime import datetime

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction, UniqueViolated
from threengram.core.db.statement import Results, Step
from threengram.core.errors import Conflict
from threengram.core.lifetimes import queries
from threengram.core.lifetimes.standing import Standing, versioning
from threengram.schema.enums import MemoryStatus


async def reopen(call: Call, tx: TenantTransaction, memory: Standing, steps: list[Step], *, at: datetime) -> Results:
    """Active and valid without an end, committed with `steps`, whose rows it returns.

    Raises `Conflict` with the id of live memory that says the same. The transaction has to hold the registry of scopes.
    """
    live = versioning(memory, status=MemoryStatus.ACTIVE, valid_to=None, at=at)
    try:
        return (await tx.run([live, *steps], commit=True))[1:]
    except UniqueViolated as error:
        async with call.core.database.tenant(call.principal) as fresh:
            twins = await fresh.fetch_last(queries.LIVE_TWIN, {"memory_id": memory.memory_id})
        raise Conflict(
            "the same content is live in another memory; archive or revise that one first",
            subject_id=str(twins[0]["id"]) if twins else None,
        ) from error
