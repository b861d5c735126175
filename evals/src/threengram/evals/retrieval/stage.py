"""The product with a clock of the story's own: real PostgreSQL, real embedder, the verbs of core."""

import contextlib
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import httpx2

from threengram.cli import throwaway
from threengram.core.call import Core, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.db.statement import Step
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import embed_pending
from threengram.core.identity import provision, queries
from threengram.core.ids import new_id
from threengram.core.lifetimes.edges import Edge, drawing
from threengram.core.lifetimes.standing import locking, standing, versioning
from threengram.core.memories.remember import remember
from threengram.core.memories.revise import revise
from threengram.core.principal import Principal
from threengram.evals.retrieval.haystack import Haystack, chunks
from threengram.evals.retrieval.stories import Life, WrittenMemory
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import RUNTIME_ROLE, upgrade
from threengram.schema.enums import ActorKind, EdgeType, MemoryType, OAuthScope
from threengram.schema.memories import RememberInput
from threengram.schema.revisions import ReviseInput

EMBED_TIMEOUT_S = 30.0
LEASE_S = 600.0
SCOPES = frozenset({OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE})
_ERA = datetime(2020, 1, 1, tzinfo=UTC)


class Clock:
    """Stands where it was set, and moves by a millisecond whenever it is read: no two writes share an instant."""

    def __init__(self) -> None:
        self._now = _ERA

    def set(self, now: datetime) -> None:
        """Jump to `now`, or stay where it is already later."""
        self._now = max(self._now, now)

    def rewind(self, now: datetime) -> None:
        """Begin another tenant's story."""
        self._now = now

    def __call__(self) -> datetime:
        """The instant of now, later than every one before."""
        self._now += timedelta(milliseconds=1)
        return self._now


@dataclass(frozen=True)
class Told:
    """A tenant whose story has been told; `ids` gives the id of each memory by its name in the story.

    Several memories share a name where a session was cut into chunks.
    """

    core: Core
    principal: Principal
    names: dict[UUID, str]
    end: datetime


class Stage:
    """A migrated database, an embedder and a clock."""

    def __init__(self, database: Database, embedder: HttpEmbedder) -> None:
        self.clock = Clock()
        sealer = CursorSealer(secrets.token_bytes(32))
        self.core = Core(database, embedder, sealer, self.clock, EMBED_TIMEOUT_S, EMBED_TIMEOUT_S)
        # Writes leave their vectors to the job, so that every window is embedded once.
        self._writing = replace(self.core, embedder=None)

    async def tell(self, life: Life) -> Told:
        """Write the memories of a life at their dates, corrections by `revise`, then their vectors."""
        principal = await self._tenant(life.name)
        ids: dict[str, UUID] = {}
        for memory in life.memories:
            self.clock.set(noon(memory.created) - timedelta(hours=3))
            ids[memory.id] = await self._write(principal, memory, [ids[name] for name in memory.replaces])
        return await self._told(principal, {memory_id: name for name, memory_id in ids.items()})

    async def tell_sessions(self, haystack: Haystack) -> Told:
        """Write the chunks of all sessions as events, then their vectors."""
        principal = await self._tenant(haystack.name)
        names: dict[UUID, str] = {}
        for session in sorted(haystack.sessions, key=lambda session: session.at):
            self.clock.set(session.at)
            for chunk in chunks(session):
                request = RememberInput(memory_type=MemoryType.EVENT, topic=chunk.topic, content=chunk.content)
                async with open_call(self._writing, principal) as call:
                    written = await remember(call, request)
                names[written.memory.id] = session.id
        return await self._told(principal, names)

    async def _told(self, principal: Principal, names: dict[UUID, str]) -> Told:
        assert self.core.embedder is not None
        self.clock.set(self.clock() + timedelta(days=1))
        filled = None
        while filled is None or filled.stored:
            filled = await embed_pending(self.core.database, self.core.embedder, now=self.clock(), lease_s=LEASE_S)
            if filled.failed or filled.released or filled.left:
                raise RuntimeError(f"vectors are missing: {filled}")
        return Told(self.core, principal, names, self.clock())

    async def _tenant(self, name: str) -> Principal:
        self.clock.rewind(_ERA)
        now = self.clock()
        owner = await provision.create_tenant(
            self.core.database, email=f"{name}-{new_id()}@example.test", name=name, now=now
        )
        credential = new_id()
        row = {
            "token_id": credential,
            "user_id": owner.user_id,
            "scopes": sorted(SCOPES),
            "audience": "http://127.0.0.1/mcp",
            "now": now,
            "expires_at": now + timedelta(days=365 * 30),
        }
        async with self.core.database.tenant(owner) as tx:
            await tx.run([Step(queries.INSERT_ACCESS_TOKEN, row)], commit=True)
        return Principal(owner.tenant_id, owner.user_id, credential, SCOPES, ActorKind.USER_MCP)

    async def _write(self, principal: Principal, memory: WrittenMemory, replaced: Sequence[UUID]) -> UUID:
        said: dict[str, Any] = {
            "memory_type": memory.type,
            "topic": memory.topic,
            "content": memory.content,
            "scope": memory.scope,
            "project": memory.project,
            "tags": memory.tags,
        }
        # A memory has one successor. Whoever comes second stands beside the first: that is what a branch is here.
        open_ones = [memory_id for memory_id in replaced if await self._is_open(principal, memory_id)]
        if open_ones:
            request = ReviseInput(predecessor_id=open_ones[0], edge_intent=memory.edge, **said)
            async with open_call(self._writing, principal) as call:
                written = (await revise(call, request)).memory.id
        else:
            async with open_call(self._writing, principal) as call:
                written = (await remember(call, RememberInput(**said))).memory.id
        for memory_id in open_ones[1:]:
            await self._supersede_too(principal, memory_id, written, memory)
        return written

    async def _is_open(self, principal: Principal, memory_id: UUID) -> bool:
        async with self.core.database.tenant(principal) as tx:
            found = await tx.run(locking(memory_id))
        return standing(memory_id, found[1]).successor_id is None

    async def _supersede_too(self, principal: Principal, older: UUID, newer: UUID, memory: WrittenMemory) -> None:
        """A merge: one more edge than `revise` makes, as an accepted proposal would add it."""
        now = self.clock()
        async with self.core.database.tenant(principal) as tx:
            found = standing(older, (await tx.run(locking(older)))[1])
            steps = [
                versioning(found, status=found.status, valid_to=now, at=now),
                *drawing(Edge(new_id(), newer, older, EdgeType(memory.edge)), ActorKind.USER_MCP, at=now),
            ]
            await tx.run(steps, commit=True)


@dataclass(frozen=True)
class Subject:
    """What is evaluated: a model by its name and width, and the service that has it."""

    name: str
    dimensions: int
    embedder_url: str


@contextlib.asynccontextmanager
async def stage(owner_url: str, subject: Subject) -> AsyncIterator[Stage]:
    """A stage on an empty database and an embedding service."""
    name, dimensions = subject.name, subject.dimensions
    password = secrets.token_urlsafe()
    upgrade(owner_url, runtime_password=password)
    ensure_model(owner_url, name=name, dimensions=dimensions)
    parts = urlsplit(owner_url)
    runtime_url = urlunsplit(parts._replace(netloc=f"{RUNTIME_ROLE}:{password}@{parts.hostname}:{parts.port}"))
    embedder = HttpEmbedder(subject.embedder_url, model_name=name, dimensions=dimensions)
    try:
        async with Database(runtime_url, pool_min=1, pool_max=4) as database:
            yield Stage(database, embedder)
    finally:
        await embedder.close()


@contextlib.contextmanager
def servers(
    name: str | None = None, *, embedder_url: str | None = None, threads: int = 2
) -> Iterator[tuple[str, Subject]]:
    """The owner's URL of an empty database, and a model to evaluate; both for the length of the block.

    The model is one of a service that runs already at `embedder_url`, or a bundled one; without a name the first that
    is served. Raises `LookupError` where it is not.
    """
    with contextlib.ExitStack() as running:
        owner_url = running.enter_context(throwaway.postgres())
        if embedder_url is None:
            settings = {"THREADS": str(threads)} | ({} if name is None else {"MODEL": name})
            embedder_url = running.enter_context(throwaway.embedder("onnx", settings=settings))
        yield owner_url, served(embedder_url, name)


def served(embedder_url: str, name: str | None) -> Subject:
    """A model of a running embedding service, as the service describes it."""
    answer = httpx2.get(f"{embedder_url.rstrip('/')}/v1/models", trust_env=False).raise_for_status().json()
    cards = [card for card in answer["data"] if name in (None, card["id"])]
    if not cards:
        raise LookupError(f"{embedder_url} does not serve {name}")
    return Subject(cards[0]["id"], cards[0]["dimensions"], embedder_url)


def noon(day: date) -> datetime:
    """Noon of a day, UTC."""
    return datetime.combine(day, time(12), tzinfo=UTC)
