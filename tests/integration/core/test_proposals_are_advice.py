"""What a proposal does before anybody decides: nothing that a read can see."""

from tests.integration.core.orienting import hand_over
from tests.integration.core.proposing import accept, listed, propose_edge, propose_fact, reject
from tests.integration.core.writing import find, read, values, write
from tests.people import Person
from threengram.core.call import Core


async def test_a_proposed_fact_is_no_fact_until_somebody_accepts_it(core: Core, alice: Person) -> None:
    memory = (await write(core, alice, content="lifted 98 kg")).memory.id
    declined, wanted = [await propose_fact(core, alice, memory, value=value) for value in ("97", "98")]
    assert (await listed(core, alice)).count == 0
    assert len((await listed(core, alice)).fact_proposals or []) == 2
    assert (await values(core, alice), (await hand_over(core, alice)).facts) == ([], [])
    await reject(core, alice, declined)
    assert await values(core, alice) == []
    await accept(core, alice, wanted)
    assert await values(core, alice) == ["98"]


async def test_a_proposed_edge_closes_and_demotes_nothing(core: Core, alice: Person) -> None:
    older = (await write(core, alice, content="apples are red")).memory.id
    newer = (await write(core, alice, content="apples are green")).memory.id
    proposal_id = await propose_edge(core, alice, newer, older)
    assert (await read(core, alice, older)).superseded_by is None
    assert {hit.superseded for hit in (await find(core, alice, "apples")).hits} == {False}
    await accept(core, alice, proposal_id)
    assert (await read(core, alice, older)).superseded_by is not None


async def test_a_write_answers_without_proposals(core: Core, alice: Person) -> None:
    older = await write(core, alice, content="apples are red")
    newer = await write(core, alice, content="apples are green", memory_type="commitment")
    await propose_edge(core, alice, newer.memory.id, older.memory.id)
    answer = (
        await write(core, alice, content="apples", facts=[{"subject": "s", "predicate": "p", "value": "v"}])
    ).wire()
    assert set(answer) == {"memory", "embedded", "factIds", "facts"}
    assert set(newer.wire()) == {"memory", "embedded", "commitmentId"}
