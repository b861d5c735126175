"""The job around it: which tenants have something to examine, and one of them worked off."""

import time
from datetime import datetime
from uuid import UUID

from threengram.core.consolidation import queries
from threengram.core.consolidation.examine import DEFAULT_MAX_OPEN, examine
from threengram.core.consolidation.refinement import Refinement
from threengram.core.db.database import Database
from threengram.core.jobs.job import JobContext
from threengram.core.jobs.tenants import PAGE_TENANTS

TURN_S = 120.0
"""How long one run begins batches; well below its time limit, even where a model is asked about the last one."""


async def tenants_to_consolidate(database: Database, after: UUID | None, now: datetime) -> list[UUID]:
    """The next page of tenants in which a memory is new to consolidation, or has got the vector it waited for."""
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.TENANTS_TO_CONSOLIDATE, {"after": after, "limit": PAGE_TENANTS})
    return [row["tenant_id"] for row in rows]


async def consolidate(
    context: JobContext, *, max_open: int = DEFAULT_MAX_OPEN, refinement: Refinement | None = None
) -> bool:
    """Batches of the run's tenant until nothing is new or the turn is over; whether more is left."""
    stop_at = time.monotonic() + TURN_S
    while time.monotonic() < stop_at:
        done = await examine(
            context.database, context.principal, now=context.clock(), max_open=max_open, refinement=refinement
        )
        context.counts.update(
            scanned=done.scanned, pairs=done.pairs, proposed=done.proposed, claims=done.claims, calls=done.calls,
            dropped=done.dropped,
        )  # fmt: skip
        if not done.has_more:
            return False
    return True
