"""Steps on scopes that several tests take, in the words of the wire."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import orjson

from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.memories.remember import remember
from threengram.core.memories.revise import revise
from threengram.core.scopes.configure import configure_scope
from threengram.core.search import search
from threengram.schema.memories import RememberInput, RememberOutput
from threengram.schema.revisions import ReviseInput, ReviseOutput
from threengram.schema.scopes import ConfigureScopeInput
from threengram.schema.search import SearchInput, SearchOutput


async def configure(core: Core, person: Person, action: str, **fields: object) -> Mapping[str, Any]:
    request = ConfigureScopeInput.parse(orjson.dumps({"action": action, **fields}))
    async with open_call(core, person.principal) as call:
        return (await configure_scope(call, request)).wire()


async def registered(core: Core, person: Person) -> dict[str, tuple[list[str], list[str]]]:
    """The aliases and projects of each scope."""
    listed = await configure(core, person, "list")
    return {scope["name"]: (scope["aliases"], scope["projects"]) for scope in listed["scopes"]}


async def write(core: Core, person: Person, content: str, **fields: object) -> RememberOutput:
    arguments = {"memoryType": "note", "topic": "a topic", "content": content, **fields}
    async with open_call(core, person.principal) as call:
        return await remember(call, RememberInput.parse(orjson.dumps(arguments)))


async def rewrite(core: Core, person: Person, predecessor_id: UUID, content: str) -> ReviseOutput:
    arguments = {
        "predecessorId": str(predecessor_id), "edgeIntent": "supersedes", "memoryType": "note", "topic": "a topic",
        "content": content,
    }  # fmt: skip
    async with open_call(core, person.principal) as call:
        return await revise(call, ReviseInput.parse(orjson.dumps(arguments)))


async def find(core: Core, person: Person, **fields: object) -> SearchOutput:
    async with open_call(core, person.principal) as call:
        return await search(call, SearchInput.parse(orjson.dumps(fields)))


async def contents(core: Core, person: Person, **fields: object) -> list[str | None]:
    """What a listing with these filters shows, oldest first."""
    found = await find(core, person, order="chronological", limit=25, **fields)
    return [hit.content for hit in reversed(found.hits)]
