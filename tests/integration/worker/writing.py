"""Memories that wait for their vectors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from tests.conftest import CURSOR_KEY
from tests.people import Person, a_person
from threengram.core.call import Core, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.db.statement import Row, tenant_statement
from threengram.core.memories.remember import remember
from threengram.runtime.observing import TelemetryObserver
from threengram.schema.enums import MemoryType
from threengram.schema.memories import RememberInput

WRITERS = 6

JOBS = tenant_statement(
    "test_jobs",
    "SELECT memory_id, attempts, next_attempt_at, lease_until, error_class FROM embedding_jobs"
    " WHERE tenant_id = %(tenant_id)s",
)
WINDOWS = tenant_statement(
    "test_windows",
    "SELECT memory_id, count(*) AS stored, max(window_count) AS expected FROM memory_embeddings"
    " WHERE tenant_id = %(tenant_id)s GROUP BY memory_id",
)


@dataclass
class Diary:
    """One person's memories; no embedder is asked when they are written."""

    core: Core
    person: Person

    async def write(self, *contents: str) -> list[UUID]:
        """The ids of new memories, in the order given."""
        slots = asyncio.Semaphore(WRITERS)

        async def one(content: str) -> UUID:
            async with slots, open_call(self.core, self.person.principal) as call:
                request = RememberInput(content=content, topic="a topic", memory_type=MemoryType.NOTE)
                return (await remember(call, request)).memory.id

        return list(await asyncio.gather(*map(one, contents)))

    async def jobs(self) -> list[Row]:
        """The rows that still wait."""
        async with self.core.database.tenant(self.person.principal) as tx:
            return await tx.fetch_last(JOBS)

    async def is_done(self) -> bool:
        return not await self.jobs()

    async def windows(self) -> dict[UUID, tuple[int, int]]:
        """How many windows of each memory are stored, and how many there should be."""
        async with self.core.database.tenant(self.person.principal) as tx:
            rows = await tx.fetch_last(WINDOWS)
        return {row["memory_id"]: (row["stored"], row["expected"]) for row in rows}


@asynccontextmanager
async def open_diary(database_url: str) -> AsyncIterator[Diary]:
    """The diary of a new person."""
    async with Database(database_url, pool_min=1, pool_max=WRITERS, observer=TelemetryObserver()) as database:
        core = Core(database, None, CursorSealer(CURSOR_KEY), lambda: datetime.now(UTC))
        yield Diary(core, await a_person(database))
