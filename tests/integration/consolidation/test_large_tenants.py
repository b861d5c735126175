"""A tenant too large to compare every vector with every other: the index is walked, and finds the same pairs."""

import pytest

from tests.integration.consolidation.consolidating import proposed, run, start_over
from tests.integration.consolidation.corpus import corpus
from tests.integration.core.writing import rows, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.consolidation import examine, queries
from threengram.core.db.statement import Statement, Step
from threengram.core.search.queries import walking

MEMORIES = 50


async def fill(core: Core, person: Person) -> None:
    for one in corpus(MEMORIES, seed=5):
        await write(core, person, memory_type=one.memory_type, topic=one.topic, content=one.content, scope=one.scope)


async def test_walking_the_index_proposes_what_comparing_everything_does(
    core: Core, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(core, alice)
    await run(core, alice)
    compared = await proposed(core, alice)
    await rows(core, alice, "UPDATE consolidation_proposals SET status = 'rejected', reason = 'not_live',"
                            " decided_at = created_at")  # fmt: skip
    await start_over(core, alice)
    monkeypatch.setattr(examine, "EXACT_MEMORIES", MEMORIES - 1)
    await run(core, alice)
    assert await proposed(core, alice) == compared != []


async def test_the_walk_uses_the_index(core: Core, alice: Person) -> None:
    await fill(core, alice)
    (model,) = await rows(core, alice, "SELECT id, dimensions FROM embedding_models WHERE state = 'active'")
    (subject,) = await rows(core, alice, "SELECT id FROM memories ORDER BY memory_no DESC LIMIT 1")
    statement = queries.neighbours(model["id"], model["dimensions"])
    explained = Statement("test_plan", f"EXPLAIN {statement.sql}")
    parameters = {"subject_ids": [subject["id"]], "neighbours": 20, "min_similarity": 0.5, "content_chars": 100}
    async with core.database.tenant(alice.principal) as tx:
        _, plan = await tx.run([walking(MEMORIES), Step(explained, parameters)])
    assert "Order By: " in str(plan)
    assert "Sort" not in str(plan)
