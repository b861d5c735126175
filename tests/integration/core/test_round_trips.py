"""What goes over the wire: a unit of work ends with its Sync."""

from pathlib import Path

import pytest
from psycopg.pq import Trace

from threengram.core.db.database import Database
from threengram.core.db.statement import Statement, Step

pytestmark = pytest.mark.anyio

SLOW = Statement("slow", "SELECT pg_sleep(0.05)")
LARGE = Statement("large", "SELECT length(%(text)s) AS characters")


async def test_nothing_follows_the_end_of_a_unit_of_work(database_url: str, tmp_path: Path) -> None:
    """A transaction pooler would take it for the beginning of the next, and keep a server connection for it."""
    async with Database(database_url, pool_min=1, pool_max=1) as database:
        with (tmp_path / "trace").open("wb") as trace:
            async with database.pool.connection() as connection:
                connection.pgconn.trace(trace.fileno())
                connection.pgconn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)
            async with database.system() as tx:
                await tx.fetch_last(SLOW)
            async with database.pool.connection() as connection:
                connection.pgconn.untrace()
    sent = [line.split("\t")[2] for line in (tmp_path / "trace").read_text().splitlines() if line.startswith("F")]
    assert sent[-1] == "Sync"
    assert (sent.count("Sync"), sent.count("Flush")) == (1, 0)


async def test_a_unit_of_work_may_be_larger_than_what_the_socket_takes_at_once(database_url: str) -> None:
    async with Database(database_url, pool_min=1, pool_max=1) as database:
        text = "x" * 8_000_000
        async with database.system() as tx:
            rows = await tx.run([Step(LARGE, {"text": text})] * 3, commit=True)
    assert [row["characters"] for (row,) in rows] == [len(text)] * 3
