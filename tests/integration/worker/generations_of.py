"""A tenant whose memories have vectors of several generations, and the owner's view of them."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import psycopg

from tests.integration.jobs.canaries import bind
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.db.statement import Row, tenant_statement
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import embed_pending
from threengram.core.memories.remember import remember
from threengram.core.search.search import search
from threengram.migrations import generations, status
from threengram.migrations.status import Generation, Obstacle, Progress
from threengram.schema.enums import MemoryType
from threengram.schema.memories import RememberInput
from threengram.schema.search import SearchInput, SearchOutput

WIDE, NARROW = "hash-384", "hash-64"
LEASE_S = 60
ANYWAY = (Obstacle.UNCALIBRATED,)
_T = TypeVar("_T")

VECTORS = tenant_statement(
    "test_vectors",
    "SELECT v.memory_id, v.window_no, v.window_count, v.embedding::text AS embedding, m.topic, m.content"
    " FROM memory_embeddings v JOIN memories m ON m.tenant_id = v.tenant_id AND m.id = v.memory_id"
    " JOIN embedding_models g ON g.id = v.model_id"
    " WHERE v.tenant_id = %(tenant_id)s AND g.name = %(name)s ORDER BY v.memory_id, v.window_no",
)
WAITING = tenant_statement(
    "test_waiting",
    "SELECT j.memory_id FROM embedding_jobs j JOIN embedding_models g ON g.id = j.model_id"
    " WHERE j.tenant_id = %(tenant_id)s AND g.name = %(name)s",
)


KEPT_BACK = (
    "SELECT FROM embedding_jobs j JOIN embedding_models g ON g.id = j.model_id WHERE g.name = %s"
    " ORDER BY j.memory_id DESC LIMIT %s FOR UPDATE OF j"
)


@dataclass
class Shelf:
    """One person's memories, the embedder's address, and the owner's URL of the same database."""

    core: Core
    person: Person
    embedder_url: str
    owner_url: str

    async def keep(self, *contents: str) -> list[str]:
        """The ids of new memories."""
        ids = []
        for content in contents:
            async with open_call(self.core, self.person.principal) as call:
                request = RememberInput(content=content, topic="a topic", memory_type=MemoryType.NOTE)
                ids.append(str((await remember(call, request)).memory.id))
        return ids

    async def find(self, query: str) -> SearchOutput:
        """The first page."""
        async with open_call(self.core, self.person.principal) as call:
            return await search(call, SearchInput(query=query))

    async def rows(self, statement: Any, name: str) -> list[Row]:
        """What a statement of this module says of a generation."""
        async with self.core.database.tenant(self.person.principal) as tx:
            return await tx.fetch_last(statement, {"name": name})

    async def fill(self, name: str) -> int:
        """Embed what waits for a generation, as a worker does; how many rows that were."""
        embedder = HttpEmbedder(self.embedder_url, model_name=name, dimensions=int(name.removeprefix("hash-")))
        stored = 0
        try:
            while (filled := await embed_pending(self.core.database, embedder, now=later(), lease_s=LEASE_S)).claimed:
                stored += filled.stored
        finally:
            await embedder.close()
        return stored

    async def owning(self, action: Callable[[psycopg.Connection], _T]) -> _T:
        """What the owner makes of it, on a connection of its own, beside everything else."""

        def act() -> _T:
            with psycopg.connect(self.owner_url, autocommit=True) as owner:
                return action(owner)

        return await asyncio.to_thread(act)

    async def add(self, name: str = NARROW) -> Generation:
        width = int(name.removeprefix("hash-"))
        return await self.owning(
            lambda owner: generations.add(owner, name=name, dimensions=width, is_metered=False, now=datetime.now(UTC))
        )

    async def progress(self, name: str = NARROW) -> Progress:
        return await self.owning(lambda owner: status.progress(owner, status.find(owner, name), now=datetime.now(UTC)))

    async def activate(self, name: str, despite: tuple[Obstacle, ...] = ANYWAY) -> Generation:
        return await self.owning(
            lambda owner: generations.activate(owner, name, now=datetime.now(UTC), despite=despite)
        )

    async def build(self, name: str = NARROW) -> None:
        await self.owning(lambda owner: generations.build(owner, name))

    async def retire(self, name: str = NARROW) -> int:
        return await self.owning(lambda owner: generations.retire(owner, name))


@contextmanager
def kept_back(shelf: Shelf, name: str, rows: int) -> Iterator[None]:
    """So many rows that wait for a generation are held: no worker gets them within the block, however long it works."""
    with psycopg.connect(shelf.owner_url) as owner:
        bind(owner, shelf.person.principal.tenant_id)
        assert owner.execute(KEPT_BACK, (name, rows)).rowcount == rows
        yield
        owner.rollback()


def later() -> datetime:
    """An instant at which everything that was just enqueued is due."""
    return datetime.now(UTC).replace(microsecond=999_999)
