"""The only ways to a connection, and the only place that commits.

A unit of work takes a pooled connection with its first statement and not before, so that network work can come first
without holding one. BEGIN, the tenant setting, the statements and, where the caller says so, COMMIT travel as one
driver-level pipeline: one round trip. Every setting is transaction-local and nothing is prepared on the server, which
makes the whole safe behind a transaction pooler; `keeps_plans` gives up the latter where nothing is in between, or a
pooler that follows prepared statements.
"""

import asyncio
import select
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, LiteralString, Self, TypeVar
from uuid import UUID

import psycopg
from pgvector.psycopg.halfvec import register_halfvec_info
from psycopg import AsyncConnection
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row
from psycopg.types import TypeInfo
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from threengram.core.db.roundtrip import round_trip
from threengram.core.db.statement import Row, Statement, Step
from threengram.core.errors import TookTooLong, Unavailable
from threengram.core.observe import Observer, Unobserved
from threengram.core.principal import Principal

Connection = AsyncConnection[Row]
_Unit = TypeVar("_Unit", bound="Transaction")
_Result = TypeVar("_Result")

STATEMENT_TIMEOUT_MS = 14_000
"""Below the write deadline of 15 s after which the past is final."""

POOL_TIMEOUT_S = 5.0
ROLLBACK_TIMEOUT_S = 2.0
UTC_SESSIONS = frozenset({b"UTC", b"Etc/UTC"})

_SETTINGS: LiteralString = (
    "SELECT set_config('app.tenant_id', %(tenant)s, true), set_config('statement_timeout', %(timeout)s, true),"
    " set_config('idle_in_transaction_session_timeout', %(timeout)s, true)"
)
_KEEPING: LiteralString = (
    _SETTINGS + ", set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)"
)
"""A plan that was made while a table was small is kept until the next ANALYZE, however large the table grows."""

_PREPARED_ON_REQUEST = 2**31 - 1
"""A number of executions that no statement reaches, after which the driver would prepare it unasked."""
_VECTOR_TYPE: LiteralString = "SELECT oid, typarray FROM pg_type WHERE oid = to_regtype(%(name)s)"


class Begin(StrEnum):
    """How a unit of work begins."""

    READ_WRITE = "BEGIN"
    SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class TransactionClosed(RuntimeError):
    """A statement after the commit of its unit of work: a mistake in the code."""


class UniqueViolated(Exception):
    """A unique index refused a row and ended the unit of work; `constraint` names it.

    Its verb turns this into an error of the domain.
    """

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class Transaction:
    """A unit of work: statements that commit together. Not to be shared between tasks."""

    def __init__(self, database: "Database", tenant_id: UUID | None, begin: Begin) -> None:
        self._database = database
        self._tenant_id = tenant_id
        self._begin = begin
        self._connection: Connection | None = None
        self._is_closed = False
        self._keeps_plans = False

    def begin_as(self, begin: Begin) -> None:
        """Say how the unit of work begins, before its first statement."""
        if self._connection is not None or self._is_closed:
            raise TransactionClosed("this unit of work has begun")
        self._begin = begin

    async def run(self, steps: Sequence[Step], *, commit: bool = False) -> list[list[Row]]:
        """The rows of each step, in order, in one round trip; with `commit` that round trip ends the unit of work."""
        if self._is_closed:
            raise TransactionClosed("this unit of work has ended")
        opening = self._connection is None
        if self._connection is None:
            self._connection = await self._database._acquire()
            # The unnamed statements of the same unit would be planned without a look at their parameters too.
            self._keeps_plans = self._database.keeps_plans and commit and all(s.statement.keeps_plan for s in steps)
        connection = self._connection
        name = steps[0].statement.name
        with self._database.observer.span("db.query", statement=name):
            try:
                async with round_trip(connection):
                    if opening:
                        await self._open(connection)
                    cursors = [await self._send(connection, step) for step in steps]
                    if commit:
                        await connection.execute("COMMIT")
                rows = [_in_utc(connection, await cursor.fetchall()) if _has_rows(cursor) else [] for cursor in cursors]
            except psycopg.errors.QueryCanceled as error:
                raise TookTooLong from error
            except psycopg.errors.UniqueViolation as error:
                # The transaction is void, and whoever looks for the row in the way needs a connection.
                await self._abandon()
                raise UniqueViolated(error.diag.constraint_name or "") from error
            except psycopg.OperationalError as error:
                raise Unavailable("the database is not available") from error
        if commit:
            await self._release()
        return rows

    async def fetch(self, statement: Statement, parameters: Mapping[str, object] | None = None) -> list[Row]:
        """The rows of one statement."""
        return (await self.run([Step(statement, parameters or {})]))[0]

    async def fetch_last(self, statement: Statement, parameters: Mapping[str, object] | None = None) -> list[Row]:
        """The rows of the last statement of this unit of work, committed with it in the same round trip."""
        return (await self.run([Step(statement, parameters or {})], commit=True))[0]

    async def commit(self) -> None:
        """End the unit of work here; an error raised after it undoes nothing."""
        await self._finish()

    async def _open(self, connection: Connection) -> None:
        await connection.execute(self._begin.value)
        tenant = "" if self._tenant_id is None else str(self._tenant_id)
        values = {"tenant": tenant, "timeout": str(self._database.statement_timeout_ms)}
        await connection.execute(_KEEPING if self._keeps_plans else _SETTINGS, values, prepare=self._keeps_plans)

    async def _send(self, connection: Connection, step: Step) -> psycopg.AsyncCursor[Row]:
        parameters = {**step.parameters, "tenant_id": self._tenant_id}
        # Cheaper to read as well. What is prepared has columns of types that the driver knows in both forms.
        return await connection.execute(
            step.statement.sql, parameters, prepare=self._keeps_plans, binary=self._keeps_plans
        )

    async def _finish(self) -> None:
        if self._connection is not None:
            try:
                await self._connection.execute("COMMIT")
            except psycopg.OperationalError as error:
                raise Unavailable("the database is not available") from error
            await self._release()
        self._is_closed = True

    async def _abandon(self) -> None:
        """Roll back."""
        connection, self._connection, self._is_closed = self._connection, None, True
        if connection is not None:
            await self._database._discard(connection)

    async def _release(self) -> None:
        connection, self._connection, self._is_closed = self._connection, None, True
        if connection is not None:
            await self._database._release(connection)


class TenantTransaction(Transaction):
    """A unit of work bound to the tenant of a verified principal."""


class SystemTransaction(Transaction):
    """A unit of work without a tenant: it sees the exempt tables and may call the listed definer functions."""


class Database:
    """A pool of connections of the runtime role, open for the length of an `async with` or from `open` to `close`.

    With `keeps_plans` a connection keeps the plans of statements that allow it. What is prepared belongs to a session
    of the server: a transaction pooler has to follow it from one session to the next, as PgBouncer does from 1.22 on
    where `max_prepared_statements` is not 0.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_min: int = 1,
        pool_max: int = 10,
        statement_timeout_ms: int = STATEMENT_TIMEOUT_MS,
        keeps_plans: bool = False,
        observer: Observer | None = None,
    ) -> None:
        self.observer: Observer = observer or Unobserved()
        self.statement_timeout_ms = statement_timeout_ms
        self.keeps_plans = keeps_plans
        self.pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            url,
            kwargs={
                "autocommit": True,
                "prepare_threshold": _PREPARED_ON_REQUEST if keeps_plans else None,
                "row_factory": dict_row,
            },
            min_size=pool_min,
            max_size=pool_max,
            timeout=POOL_TIMEOUT_S,
            max_waiting=pool_max * 20,
            configure=self._configure,
            check=None,
            open=False,
        )
        self._halfvec: TypeInfo | None = None
        self._under_way: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self, *, timeout_s: float = 30.0) -> None:
        """Fill the pool; raises `Unavailable` when the database does not answer in time."""
        try:
            await self.pool.open(wait=True, timeout=timeout_s)
        except PoolTimeout as error:
            raise Unavailable("the database is not available") from error

    async def close(self) -> None:
        """Close every connection."""
        await self.pool.close()

    @asynccontextmanager
    async def tenant(
        self, principal: Principal, *, begin: Begin = Begin.READ_WRITE
    ) -> AsyncIterator[TenantTransaction]:
        """A unit of work that sees one tenant; it commits when the block succeeds."""
        async with _unit(TenantTransaction(self, principal.tenant_id, begin)) as transaction:
            yield transaction

    @asynccontextmanager
    async def system(self) -> AsyncIterator[SystemTransaction]:
        """A unit of work that sees no tenant's rows; it commits when the block succeeds."""
        async with _unit(SystemTransaction(self, None, Begin.READ_WRITE)) as transaction:
            yield transaction

    async def _configure(self, connection: Connection) -> None:
        """Teach a new connection the type of vectors, whose number the first connection of this database asks for."""
        if self._halfvec is None:
            (row,) = await (await connection.execute(_VECTOR_TYPE, {"name": "halfvec"})).fetchall()
            self._halfvec = TypeInfo("halfvec", row["oid"], row["typarray"])
        register_halfvec_info(connection, self._halfvec)

    async def _acquire(self) -> Connection:
        """A connection that stands; raises `Unavailable` when none is free in time.

        Whoever is cancelled while waiting for one does not take it along.
        """
        getting = self._begin(self._standing())
        try:
            with self.observer.span("db.connect"):
                return await asyncio.shield(getting)
        except asyncio.CancelledError:
            getting.add_done_callback(self._return_unwanted)
            raise
        except (PoolTimeout, psycopg.OperationalError) as error:
            raise Unavailable("no database connection is free") from error

    async def _standing(self) -> Connection:
        """A pooled connection; one that the server ended while it lay there goes back for replacement."""
        while _has_unread(connection := await self.pool.getconn()):
            await connection.close()
            await self.pool.putconn(connection)
        return connection

    async def _release(self, connection: Connection) -> None:
        await asyncio.shield(self._begin(self.pool.putconn(connection)))

    async def _discard(self, connection: Connection) -> None:
        await asyncio.shield(self._begin(self._rolled_back(connection)))

    async def _rolled_back(self, connection: Connection) -> None:
        """Give back a connection in an unknown state. One that can't roll back is closed; the pool replaces it."""
        try:
            status = connection.pgconn.transaction_status
            if status == TransactionStatus.ACTIVE:
                await connection.close()
            elif status != TransactionStatus.IDLE:
                async with asyncio.timeout(ROLLBACK_TIMEOUT_S):
                    await connection.execute("ROLLBACK")
        except (psycopg.Error, TimeoutError):
            await connection.close()
        finally:
            await self.pool.putconn(connection)

    def _return_unwanted(self, getting: "asyncio.Task[Connection]") -> None:
        if not getting.cancelled() and getting.exception() is None:
            self._begin(self.pool.putconn(getting.result()))

    def _begin(self, work: Coroutine[Any, Any, _Result]) -> "asyncio.Task[_Result]":
        """Work with the pool that goes on when the call it is for is cancelled; otherwise the pool would lose count.

        Each ends by itself, within the deadlines of pool and rollback.
        """
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task


@asynccontextmanager
async def _unit(transaction: _Unit) -> AsyncIterator[_Unit]:
    try:
        yield transaction
        await transaction._finish()
    except BaseException:
        await transaction._abandon()
        raise


def _has_unread(connection: Connection) -> bool:
    """Whether something came that nobody asked for, which is how a server or pooler takes its leave. No round trip."""
    waiting = select.poll()
    waiting.register(connection.pgconn.socket, select.POLLIN)
    return bool(waiting.poll(0))


def _has_rows(cursor: psycopg.AsyncCursor[Row]) -> bool:
    """Whether the statement has columns; `description` would describe each of them."""
    return cursor.pgresult is not None and cursor.pgresult.nfields > 0


def _in_utc(connection: Connection, rows: list[Row]) -> list[Row]:
    """The rows with every instant in UTC, whatever the session's time zone is.

    In another zone, adding to an instant would count by the wall clock and go wrong where that is changed.
    """
    if connection.pgconn.parameter_status(b"TimeZone") in UTC_SESSIONS:
        return rows
    return [
        {name: value.astimezone(UTC) if isinstance(value, datetime) else value for name, value in row.items()}
        for row in rows
    ]
