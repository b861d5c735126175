"""Statements that travel together and end with their Sync, so that a transaction pooler sees where they end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection, AsyncPipeline
from psycopg.abc import PQGen
from psycopg.generators import send


class _EndsWithSync(AsyncPipeline):
    """psycopg's own pipeline sends a Flush behind its last Sync.

    Once the answer to the Sync has ended the transaction, a pooler takes that Flush for the beginning of the next one
    and gives it a server connection. Nothing answers a Flush, so that connection stays taken until its client speaks
    again (seen with PgBouncer 1.18). Nor is the Flush of use: a Sync makes the server send everything.
    """

    def _exit_gen(self) -> PQGen[None]:
        try:
            self._enqueue_sync()
            yield from self._communicate_gen()
        finally:
            yield from send(self.pgconn)
            yield from self._fetch_gen(flush=False)


@asynccontextmanager
async def round_trip(connection: AsyncConnection[Any]) -> AsyncIterator[None]:
    """Send what is executed in the block without waiting for answers, and read them all at its end."""
    # `pipeline()` enters the one that is there.
    connection._pipeline = _EndsWithSync(connection)
    async with connection.pipeline():
        yield
