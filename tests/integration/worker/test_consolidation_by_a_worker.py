"""Consolidation as it runs: rung for by the schedule, carried out by a worker, with no write involved."""

import pytest

from tests.integration.worker.programs import Stack
from tests.integration.worker.writing import Diary
from tests.waiting import eventually
from threengram.core.call import open_call
from threengram.core.db.statement import Row, tenant_statement
from threengram.core.memories.remember import remember
from threengram.schema.enums import MemoryType
from threengram.schema.memories import RememberInput

pytestmark = pytest.mark.anyio

PROPOSALS = tenant_statement(
    "test_proposals",
    "SELECT p.edge_type, f.content AS newer, t.content AS older FROM consolidation_proposals p"
    " JOIN memories f ON f.id = p.from_id JOIN memories t ON t.id = p.to_id WHERE p.tenant_id = %(tenant_id)s",
)
OLD, NEW = "The canary sings 20 seconds.", "The canary sings 45 seconds."


async def write(diary: Diary, *contents: str) -> None:
    for content in contents:
        async with open_call(diary.core, diary.person.principal) as call:
            await remember(call, RememberInput(content=content, topic="canary", memory_type=MemoryType.FACT))


async def proposals(diary: Diary) -> list[Row]:
    async with diary.core.database.tenant(diary.person.principal) as tx:
        return await tx.fetch_last(PROPOSALS)


async def test_the_schedule_has_pairs_proposed_that_no_write_has_looked_at(
    stack: Stack, diary: Diary, hash_embedder_url: str
) -> None:
    await write(diary, OLD, NEW)
    worker = stack.worker(embedder_url=hash_embedder_url)
    stack.ring()
    await eventually(diary.is_done)
    assert await proposals(diary) == []
    stack.beat()

    async def is_proposed() -> bool:
        return bool(await proposals(diary))

    await eventually(is_proposed)
    assert await proposals(diary) == [{"edge_type": "supersedes", "newer": NEW, "older": OLD}]
    await eventually(lambda: any(event.get("proposed") == 1 for event in worker.events("run_ended")))
    worker.stop()
    assert "canary" not in worker.output
