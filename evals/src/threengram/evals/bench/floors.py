"""The least that a search could cost: the same statement, straight from a driver, as the runtime role."""

import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID

import psycopg
from pgvector.psycopg import register_vector_async

from threengram.core.call import Core, open_call
from threengram.core.db.database import Begin, Database, TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.identity.queries import ADMISSION
from threengram.core.principal import Principal
from threengram.core.search import search
from threengram.evals.bench.closed_loop import Attempt, Figures, Process, measure
from threengram.schema.enums import VectorCoverage
from threengram.schema.search import SearchInput

HITS = 5


class _KeptTransaction(TenantTransaction):
    """A unit of work that passes its steps on and keeps them."""

    def __init__(self, database: Database, tenant_id: UUID, inner: TenantTransaction, steps: list[Step]) -> None:
        super().__init__(database, tenant_id, Begin.READ_WRITE)
        self._inner = inner
        self._steps = steps

    async def run(self, steps: Sequence[Step], *, commit: bool = False) -> list[list[Row]]:
        """The rows of each step."""
        self._steps += steps
        return await self._inner.run(steps, commit=commit)


class _KeepingDatabase(Database):
    """A database that keeps the steps of every unit of work on a tenant."""

    def __init__(self, url: str) -> None:
        super().__init__(url, pool_min=1, pool_max=2)
        self.units: list[list[Step]] = []

    @asynccontextmanager
    async def tenant(
        self, principal: Principal, *, begin: Begin = Begin.READ_WRITE
    ) -> AsyncIterator[TenantTransaction]:
        """A unit of work whose steps are kept."""
        async with super().tenant(principal, begin=begin) as inner:
            self.units.append([])
            yield _KeptTransaction(self, principal.tenant_id, inner, self.units[-1])


async def search_steps(core: Core, runtime_url: str, principal: Principal, queries: Sequence[str]) -> list[list[Step]]:
    """For each query what its search sends to the database after admission, vectors included."""
    database = _KeepingDatabase(runtime_url)
    await database.open()
    try:
        for query in queries:
            async with open_call(replace(core, database=database), principal) as call:
                found = await search(call, SearchInput(query=query, limit=HITS))
            if found.coverage.vector is not VectorCoverage.USED:
                raise RuntimeError("a search for the floor went without vectors")
    finally:
        await database.close()
    return [steps for steps in database.units if steps and steps[0].statement.name != ADMISSION.name]


async def search_floor(
    runtime_url: str,
    principal: Principal,
    searches: Sequence[Sequence[Step]],
    *,
    concurrency: int,
    duration_s: float,
    warm_up_s: float,
    watched: Sequence[Process],
) -> Figures:
    """Searches as one pipelined round trip of the runtime role, one connection for each of `concurrency`."""
    async with _connections(runtime_url, concurrency) as connections:
        attempts = [_attempt(connection, principal, searches) for connection in connections]
        return await measure(attempts, duration_s=duration_s, warm_up_s=warm_up_s, watched=watched)


async def bind(connection: psycopg.AsyncConnection[object], principal: Principal) -> None:
    """Begin a transaction that sees one tenant."""
    await connection.execute("BEGIN")
    await connection.execute("SELECT set_config('app.tenant_id', %s, true)", (str(principal.tenant_id),))


@asynccontextmanager
async def runtime_connection(runtime_url: str) -> AsyncIterator[psycopg.AsyncConnection[object]]:
    """A connection of the runtime role set up as the product's pool does it."""
    connection = await psycopg.AsyncConnection.connect(runtime_url, autocommit=True, prepare_threshold=None)
    try:
        await register_vector_async(connection)
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def _connections(runtime_url: str, count: int) -> AsyncIterator[list[psycopg.AsyncConnection[object]]]:
    async with runtime_connection(runtime_url) as first:
        if count == 1:
            yield [first]
            return
        async with _connections(runtime_url, count - 1) as rest:
            yield [first, *rest]


def _attempt(
    connection: psycopg.AsyncConnection[object], principal: Principal, searches: Sequence[Sequence[Step]]
) -> Attempt:
    turns = itertools.cycle(searches)

    async def attempt() -> tuple[str, int]:
        async with connection.pipeline():
            await bind(connection, principal)
            cursors = [
                await connection.execute(step.statement.sql, {**step.parameters, "tenant_id": principal.tenant_id})
                for step in next(turns)
            ]
            await connection.execute("COMMIT")
        await cursors[-1].fetchall()
        return "", 0

    return attempt
