"""Memories as an import will leave them: bodies far longer than a write accepts."""

from uuid import UUID

from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.db.statement import Step
from threengram.core.ids import new_id
from threengram.core.memories.append import Draft, appending
from threengram.core.scopes.queries import FILING
from threengram.schema.enums import MemoryType


async def plant(core: Core, person: Person, content: str, *, topic: str = "an imported topic") -> UUID:
    """One note with its postings and a job for its vectors."""
    async with open_call(core, person.principal) as call:
        admission, tx = await call.admitted()
        draft = Draft(
            memory_id=new_id(),
            memory_type=MemoryType.NOTE,
            topic=topic,
            content=content,
            scope="personal",
            project=None,
            tags=[],
        )
        _, steps = appending(call, admission, draft, None, at=call.now)
        await tx.run([Step(FILING), *steps], commit=True)
    return draft.memory_id
