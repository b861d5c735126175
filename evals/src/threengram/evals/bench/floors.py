"""The least that a search could cost: the same statement, straight from a driver, as the runtime role."""

import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import psycopg
from pgvector.psycopg import register_vector_async

from threengram.core.call import Core, open_call
from threengram.core.db.database import Begin, TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.embeddings.embedder import Vector
from threengram.core.principal import Principal
from threengram.core.search.eligibility import eligibility
from threengram.core.search.ranking import Ranking
from threengram.evals.bench.closed_loop import Attempt, Figures, Process, measure
from threengram.schema.enums import VectorCoverage
from threengram.schema.search import SearchInput

HITS = 5


class _Recorder(TenantTransaction):
    """A unit of work that runs nothing and keeps what it was asked to run."""

    def __init__(self, core: Core, principal: Principal) -> None:
        super().__init__(core.database, principal.tenant_id, Begin.READ_WRITE)
        self.steps: list[Step] = []

    async def run(self, steps: Sequence[Step], *, commit: bool = False) -> list[list[Row]]:
        """Keep the steps; every one has no rows."""
        self.steps += steps
        return [[] for _ in steps]


async def search_steps(core: Core, principal: Principal, query: str, vector: Vector | None) -> list[Step]:
    """The statements of a ranked search with their parameters, as the product sends them after admission."""
    request = SearchInput(query=query, limit=HITS)
    recorder = _Recorder(core, principal)
    async with open_call(core, principal) as call:
        admission, _ = await call.admitted()
        filters = eligibility(request, admission, now=call.now)
        coverage = VectorCoverage.OFF if vector is None else VectorCoverage.USED
        await Ranking(call, request, admission, filters, b"").first(recorder, vector, coverage)
    return recorder.steps


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
