"""Statements that travel together: one write to the socket, and their Sync at its end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection, AsyncPipeline
from psycopg.abc import PQGen
from psycopg.generators import send


class _EndsWithSync(AsyncPipeline):
    """psycopg's own pipeline writes each statement as it is executed, and a Flush behind its last Sync.

    A write for each statement wakes the server as often, and costs two looks at the socket here. So nothing leaves
    before the end, which libpq holds in its buffer.

    Once the answer to the Sync has ended the transaction, a pooler takes a Flush for the beginning of the next one and
    gives it a server connection. Nothing answers a Flush, so that connection stays taken until its client speaks again
    (seen with PgBouncer 1.18). Nor is the Flush of use: a Sync makes the server send everything.
    """

    def _communicate_gen(self) -> PQGen[None]:
        """Keep what was executed for the end of the pipeline."""
        yield from ()

    def _exit_gen(self) -> PQGen[None]:
        self._enqueue_sync()
        while self.command_queue:
            self.command_queue.popleft()()
        yield from send(self.pgconn)
        yield from self._fetch_gen(flush=False)


@asynccontextmanager
async def round_trip(connection: AsyncConnection[Any]) -> AsyncIterator[None]:
    """Keep what is executed in the block, send it at once at its end, and read all answers."""
    # `pipeline()` enters the one that is there.
    connection._pipeline = _EndsWithSync(connection)
    async with connection.pipeline():
        yield
