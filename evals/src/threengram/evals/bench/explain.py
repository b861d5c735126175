"""The plan of the search statement as the runtime role runs it."""

from collections.abc import Sequence
from typing import LiteralString

import psycopg

from threengram.core.db.statement import Step
from threengram.core.principal import Principal
from threengram.evals.bench.floors import bind, runtime_connection

EXPLAIN: LiteralString = "EXPLAIN (ANALYZE, BUFFERS, SETTINGS) "


async def explained(runtime_url: str, principal: Principal, steps: Sequence[Step]) -> list[str]:
    """The lines of the plan of the last step, the second time it runs."""
    async with runtime_connection(runtime_url) as connection:
        for _ in range(2):
            await bind(connection, principal)
            lines = await _plan(connection, principal, steps)
            await connection.execute("ROLLBACK")
        return lines


async def _plan(connection: psycopg.AsyncConnection[object], principal: Principal, steps: Sequence[Step]) -> list[str]:
    for step in steps[:-1]:
        await connection.execute(step.statement.sql, {**step.parameters, "tenant_id": principal.tenant_id})
    last = steps[-1]
    cursor = await connection.execute(
        EXPLAIN + last.statement.sql, {**last.parameters, "tenant_id": principal.tenant_id}
    )
    return [str(row[0]) for row in await cursor.fetchall()]  # type: ignore[index]
