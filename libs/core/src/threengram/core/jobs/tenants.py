"""Which tenants a job has work for, page by page."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from uuid import UUID

from threengram.core.db.database import Database
from threengram.core.jobs import queries

PAGE_TENANTS = 500

TenantPages = Callable[[Database, UUID | None, datetime], Awaitable[list[UUID]]]
"""The next page of tenant ids after the one given (None for the first), in their order; empty at the end."""


async def active_tenants(database: Database, after: UUID | None, now: datetime) -> list[UUID]:
    """Every tenant that is served."""
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.ACTIVE_TENANTS, {"after": after, "limit": PAGE_TENANTS})
    return [row["tenant_id"] for row in rows]
