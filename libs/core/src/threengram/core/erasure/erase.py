"""The job: redact every column that holds a person's words, and delete what was made of them."""

from typing import Final

from threengram.core.db.statement import Statement
from threengram.core.erasure import queries
from threengram.core.errors import Unavailable
from threengram.core.jobs.job import JobContext

BATCH_ROWS: Final = 1_000

DERIVED: Final = (
    queries.DELETE_VECTORS,
    queries.DELETE_TERMS,
    queries.DELETE_TERM_STATS,
    queries.DELETE_SCOPES,
    queries.DELETE_MAPPINGS,
)
REDACTED: Final = (
    "memories", "memory_events", "facts", "commitments", "consolidation_proposals", "fact_proposals", "agent_sessions",
    "oauth_tokens", "oauth_codes", "oauth_families", "oauth_grants", "user_sessions", "api_keys", "audit_log", "users",
)  # fmt: skip
"""Tables in the order in which their rows may go; credentials go altogether."""


async def erase(context: JobContext) -> bool:
    """Erase the run's tenant, in bounded statements; a second run after a crash does again what was done.

    Raises `Unavailable` while another worker still writes for the tenant: it might store something afterwards.
    """
    await _await_quiet(context)
    for deletion in DERIVED:
        await _emptied(context, deletion)
    for table in REDACTED:
        await _redacted(context, table)
    async with context.database.tenant(context.principal) as tx:
        await tx.fetch(queries.ERASE_ROWS, {"table": "tenants", "after": None, "limit": 1})
        await tx.fetch_last(queries.RESET_POLICY, {"now": context.clock()})
    return False


async def _await_quiet(context: JobContext) -> None:
    now = context.clock()
    async with context.database.tenant(context.principal) as tx:
        await tx.fetch(queries.DELETE_PENDING, {"now": now})
        rows = await tx.fetch_last(queries.BUSY, {"now": now, "run_id": context.run.id})
    if rows[0]["is_busy"]:
        raise Unavailable("another job still works for this account")


async def _emptied(context: JobContext, deletion: Statement) -> None:
    deleted = BATCH_ROWS
    while deleted == BATCH_ROWS:
        async with context.database.tenant(context.principal) as tx:
            deleted = len(await tx.fetch_last(deletion, {"limit": BATCH_ROWS}))
        context.counts["deleted"] += deleted


async def _redacted(context: JobContext, table: str) -> None:
    after = None
    while True:
        async with context.database.tenant(context.principal) as tx:
            parameters = {"table": table, "after": after, "limit": BATCH_ROWS}
            after = (await tx.fetch_last(queries.ERASE_ROWS, parameters))[0]["last_id"]
        if after is None:
            return
        context.counts["pages"] += 1
