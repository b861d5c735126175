"""Short ways to the verbs for tests: one call each, arguments by Python name."""

from datetime import UTC, datetime, timedelta
from typing import LiteralString

from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.commitments.resolve import resolve
from threengram.core.db.statement import Row, Statement
from threengram.core.facts.read import get_facts
from threengram.core.memories.archive import archive, unarchive
from threengram.core.memories.read import get_memories
from threengram.core.memories.remember import remember
from threengram.core.memories.revise import revise
from threengram.core.search import search
from threengram.schema.commitments import ResolveInput, ResolveOutput
from threengram.schema.facts import GetFactsInput, GetFactsOutput
from threengram.schema.memories import GetMemoriesInput, MemoryRead, RememberInput, RememberOutput
from threengram.schema.revisions import ArchiveInput, ArchiveOutput, ReviseInput, ReviseOutput
from threengram.schema.search import SearchInput, SearchOutput


async def write(core: Core, person: Person, **fields: object) -> RememberOutput:
    """Remember a note, unless the fields say otherwise."""
    values = {"memory_type": "note", "topic": "a topic", "content": "some content", **fields}
    async with open_call(core, person.principal) as call:
        return await remember(call, RememberInput.model_validate(values, strict=False))


async def correct(core: Core, person: Person, predecessor_id: object, **fields: object) -> ReviseOutput:
    """Revise a memory into a note, unless the fields say otherwise."""
    values = {"memory_type": "note", "topic": "a topic", "content": "other content", **fields}
    async with open_call(core, person.principal) as call:
        return await revise(
            call, ReviseInput.model_validate({"predecessor_id": predecessor_id, **values}, strict=False)
        )


async def settle(
    core: Core, person: Person, memory_id: object, status: str = "resolved", **fields: object
) -> ResolveOutput:
    """Resolve a commitment or a blocker."""
    async with open_call(core, person.principal) as call:
        values = {"memory_id": memory_id, "status": status, **fields}
        return await resolve(call, ResolveInput.model_validate(values, strict=False))


async def put_away(core: Core, person: Person, memory_id: object) -> ArchiveOutput:
    """Archive."""
    async with open_call(core, person.principal) as call:
        return await archive(call, ArchiveInput.model_validate({"memory_id": memory_id}, strict=False))


async def bring_back(core: Core, person: Person, memory_id: object) -> ArchiveOutput:
    """Unarchive."""
    async with open_call(core, person.principal) as call:
        return await unarchive(call, ArchiveInput.model_validate({"memory_id": memory_id}, strict=False))


async def read(core: Core, person: Person, memory_id: object) -> MemoryRead:
    """One memory in full."""
    async with open_call(core, person.principal) as call:
        found = await get_memories(call, GetMemoriesInput.model_validate({"ids": [memory_id]}, strict=False))
    (memory,) = found.memories
    return memory


async def facts(core: Core, person: Person, **fields: object) -> GetFactsOutput:
    """A page of facts."""
    async with open_call(core, person.principal) as call:
        return await get_facts(call, GetFactsInput.model_validate(fields, strict=False))


async def values(core: Core, person: Person, **fields: object) -> list[str]:
    """The values of a page of facts."""
    return [fact.value for fact in (await facts(core, person, **fields)).facts]


async def find(core: Core, person: Person, query: str | None = None, **fields: object) -> SearchOutput:
    """Search."""
    async with open_call(core, person.principal) as call:
        return await search(call, SearchInput.model_validate({"query": query, **fields}, strict=False))


async def rows(core: Core, person: Person, sql: LiteralString, **parameters: object) -> list[Row]:
    """Rows of the person's tenant, as the runtime role sees them."""
    async with core.database.tenant(person.principal) as tx:
        return await tx.fetch(Statement("test", sql), parameters)


async def history(core: Core, person: Person, memory_id: object) -> list[tuple[str, dict[str, str]]]:
    """The events of a memory with their details, oldest first."""
    found = await rows(
        core,
        person,
        "SELECT event_kind, details FROM memory_events WHERE memory_id = %(memory_id)s ORDER BY recorded_at, id",
        memory_id=memory_id,
    )
    return [(row["event_kind"], row["details"]) for row in found]


async def obligation(core: Core, person: Person, commitment_id: object) -> Row:
    """A commitment as stored."""
    (row,) = await rows(
        core,
        person,
        "SELECT memory_id, status, owner, due_at, recurrence, surfaced_at, next_surfacing_at, resolved_at"
        " FROM commitments WHERE id = %(commitment_id)s",
        commitment_id=commitment_id,
    )
    return row


def day(number: int, *, hour: int = 9) -> datetime:
    """A day of March 2026, the month in which the tests' clock starts; later numbers go on into April."""
    return datetime(2026, 3, 1, hour, tzinfo=UTC) + timedelta(days=number - 1)
