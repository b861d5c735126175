"""Short ways to the verbs for tests: one call each, arguments by Python name."""

from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.memories.read import get_memories
from threengram.core.memories.remember import remember
from threengram.core.memories.revise import revise
from threengram.core.search import search
from threengram.schema.memories import GetMemoriesInput, MemoryRead, RememberInput, RememberOutput
from threengram.schema.revisions import ReviseInput, ReviseOutput
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


async def read(core: Core, person: Person, memory_id: object) -> MemoryRead:
    """One memory in full."""
    async with open_call(core, person.principal) as call:
        found = await get_memories(call, GetMemoriesInput.model_validate({"ids": [memory_id]}, strict=False))
    (memory,) = found.memories
    return memory


async def find(core: Core, person: Person, query: str | None = None, **fields: object) -> SearchOutput:
    """Search."""
    async with open_call(core, person.principal) as call:
        return await search(call, SearchInput.model_validate({"query": query, **fields}, strict=False))
