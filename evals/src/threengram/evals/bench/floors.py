"""The least that a call could cost: its own statements, straight from a driver, as the runtime role."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import LiteralString
from uuid import UUID

import psycopg
from pgvector.psycopg import register_vector_async

from threengram.core.call import Call, Core, open_call
from threengram.core.db.database import Begin, Database, TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.identity.queries import ADMISSION
from threengram.core.memories import get_memories, remember
from threengram.core.principal import Principal
from threengram.core.search import search
from threengram.evals.bench.closed_loop import Attempt, Figures, Process, measure
from threengram.evals.bench.corpus import Text
from threengram.schema.enums import VectorCoverage
from threengram.schema.memories import GetMemoriesInput, RememberInput
from threengram.schema.search import SearchInput

HITS = 5


Unit = list[Step]
"""What one unit of work sends to the database."""


Verb = Callable[[Call], Awaitable[None]]
"""A call of the product whose answer does not matter."""


class _Kept(Exception):
    """Everything that would be sent has been kept."""


class _KeptTransaction(TenantTransaction):
    """A unit of work that passes its steps on and keeps them."""

    def __init__(self, database: "_KeepingDatabase", tenant_id: UUID, inner: TenantTransaction, unit: "Unit") -> None:
        super().__init__(database, tenant_id, Begin.READ_WRITE)
        self._inner = inner
        self._unit = unit
        self._commits = database.commits

    async def run(self, steps: Sequence[Step], *, commit: bool = False) -> list[list[Row]]:
        """The rows of each step. Raises `_Kept` instead of committing."""
        self._unit.extend(steps)
        if not self._commits and commit and self._unit[0].statement.name != ADMISSION.name:
            raise _Kept
        return await self._inner.run(steps, commit=commit)


class _KeepingDatabase(Database):
    """A database that keeps the steps of every unit of work on a tenant."""

    def __init__(self, url: str, *, commits: bool) -> None:
        super().__init__(url, pool_min=1, pool_max=2)
        self.commits = commits
        self.units: list[Unit] = []

    @asynccontextmanager
    async def tenant(
        self, principal: Principal, *, begin: Begin = Begin.READ_WRITE
    ) -> AsyncIterator[TenantTransaction]:
        """A unit of work whose steps are kept."""
        async with super().tenant(principal, begin=begin) as inner:
            self.units.append([])
            yield _KeptTransaction(self, principal.tenant_id, inner, self.units[-1])


async def kept_steps(
    core: Core, runtime_url: str, principal: Principal, verbs: Sequence[Verb], *, commits: bool
) -> list[Unit]:
    """For each verb what it sends to the database after admission.

    Without `commits` the round trip that would commit is kept but not sent.
    """
    async with _KeepingDatabase(runtime_url, commits=commits) as database:
        for verb in verbs:
            with suppress(_Kept):
                async with open_call(replace(core, database=database), principal) as call:
                    await verb(call)
    return [unit for unit in database.units if unit and unit[0].statement.name != ADMISSION.name]


def searching(query: str) -> Verb:
    """A search as it is measured, which must have used vectors."""

    async def verb(call: Call) -> None:
        found = await search(call, SearchInput(query=query, limit=HITS))
        if found.coverage.vector is not VectorCoverage.USED:
            raise RuntimeError("a search for the floor went without vectors")

    return verb


def remembering(text: Text) -> Verb:
    """The write of a text."""

    async def verb(call: Call) -> None:
        await remember(
            call,
            RememberInput(memory_type=text.memory_type, topic=text.topic, content=text.content, scope=text.scope),
        )

    return verb


def reading(ids: Sequence[str]) -> Verb:
    """A read of memories by id."""

    async def verb(call: Call) -> None:
        await get_memories(call, GetMemoriesInput(ids=[UUID(memory_id) for memory_id in ids]))

    return verb


async def sql_floor(
    runtime_url: str,
    principal: Principal,
    units: Sequence[Unit],
    *,
    commits: bool,
    concurrency: int,
    duration_s: float,
    warm_up_s: float,
    watched: Sequence[Process],
) -> Figures:
    """Units of work, each as one pipelined round trip of the runtime role, one connection for each of `concurrency`.

    Without `commits` they are rolled back, so that they can be repeated: the wait for the log is then not part of it.
    """
    async with _connections(runtime_url, concurrency) as connections:
        turns = itertools.cycle(units)
        attempts = [
            _attempt(connection, principal, turns, "COMMIT" if commits else "ROLLBACK") for connection in connections
        ]
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
    connection: psycopg.AsyncConnection[object], principal: Principal, turns: Iterator[Unit], end: LiteralString
) -> Attempt:
    async def attempt() -> tuple[str, int]:
        async with connection.pipeline():
            await bind(connection, principal)
            cursors = [
                await connection.execute(step.statement.sql, {**step.parameters, "tenant_id": principal.tenant_id})
                for step in next(turns)
            ]
            await connection.execute(end)
        if cursors[-1].description:
            await cursors[-1].fetchall()
        return "", 0

    return attempt
