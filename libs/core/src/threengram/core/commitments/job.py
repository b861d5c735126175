"""The job around the sweep: which tenants have something due, and one of them worked off."""

from datetime import datetime, timedelta
from uuid import UUID

from threengram.core.commitments import queries
from threengram.core.commitments.sweep import mark_due
from threengram.core.db.database import Database
from threengram.core.jobs.job import JobContext
from threengram.core.jobs.tenants import PAGE_TENANTS

MAX_BATCHES = 20


async def tenants_with_due_commitments(
    database: Database, after: UUID | None, now: datetime, *, grace: timedelta
) -> list[UUID]:
    """The next page of tenants in which something surfaces or expires now."""
    parameters = {"now": now, "expired_before": now - grace, "after": after, "limit": PAGE_TENANTS}
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.TENANTS_WITH_DUE, parameters)
    return [row["tenant_id"] for row in rows]


async def surface(context: JobContext, *, grace: timedelta) -> bool:
    """Mark what is due for the run's tenant, a bounded number of batches; whether more is left.

    A batch that was full and changed nothing met memories that others hold: the next slot finds them.
    """
    for _ in range(MAX_BATCHES):
        marked = await mark_due(context.database, context.tenant_id, now=context.clock(), grace=grace)
        changed = {"surfaced": marked.surfaced, "expired": marked.expired, "updated": marked.advanced}
        context.counts.update(changed)
        if not marked.is_full or not any(changed.values()):
            return False
    return True
