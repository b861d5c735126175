"""`revise`: one successor, one edge, nothing lost."""

import pytest
from psycopg.errors import CheckViolation

from tests.conftest import Clock
from tests.integration.core.writing import correct, find, read, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import Conflict, DuplicateMemory, InvalidRequest, NotFound
from threengram.core.ids import new_id
from threengram.core.lifetimes.edges import Edge, drawing
from threengram.schema.enums import ActorKind, EdgeType


async def test_a_revision_closes_its_predecessor_and_keeps_it_readable(core: Core, alice: Person, clock: Clock) -> None:
    first = await write(core, alice, content="the office is in Paris")
    clock.advance(days=1)
    second = await correct(core, alice, first.memory.id, content="the office is in Rome", edge_intent="updates")
    former, present = await read(core, alice, first.memory.id), await read(core, alice, second.memory.id)
    assert former.content == "the office is in Paris"
    assert former.valid_to == present.valid_from
    assert former.superseded_by is not None
    assert (former.superseded_by.id, former.superseded_by.edge_type) == (second.memory.id, EdgeType.UPDATES)
    assert (second.predecessor_id, second.edge_type) == (first.memory.id, EdgeType.UPDATES)


async def test_scope_project_and_tags_are_inherited_unless_given(core: Core, alice: Person) -> None:
    first = await write(core, alice, scope="work", project="atlas", tags=["b", "a"])
    inherited = await correct(core, alice, first.memory.id, content="second")
    given = await correct(core, alice, inherited.memory.id, content="third", scope="personal", project="x", tags=[])
    heir, stranger = await read(core, alice, inherited.memory.id), await read(core, alice, given.memory.id)
    assert (heir.scope, heir.project, heir.tags) == ("work", "atlas", ["b", "a"])
    assert (stranger.scope, stranger.project, stranger.tags) == ("personal", "x", [])


async def test_the_predecessors_own_words_may_be_asserted_again(core: Core, alice: Person) -> None:
    first = await write(core, alice)
    again = await correct(core, alice, first.memory.id, content="some content", topic="a better topic")
    other = await write(core, alice, content="elsewhere")
    with pytest.raises(DuplicateMemory) as refused:
        await correct(core, alice, other.memory.id, content="some content")
    assert refused.value.subject_id == str(again.memory.id)
    assert (await read(core, alice, other.memory.id)).superseded_by is None


async def test_a_memory_is_superseded_once(core: Core, alice: Person) -> None:
    first = await write(core, alice)
    second = await correct(core, alice, first.memory.id)
    with pytest.raises(Conflict, match=str(second.memory.id)) as refused:
        await correct(core, alice, first.memory.id, content="a third opinion")
    assert refused.value.subject_id == str(first.memory.id)


async def test_unknown_and_foreign_ids_are_the_same_nothing(core: Core, alice: Person, bob: Person) -> None:
    hers = await write(core, alice)
    answers = []
    for memory_id in (hers.memory.id, new_id()):
        with pytest.raises(NotFound) as refused:
            await correct(core, bob, memory_id)
        answers.append((str(refused.value), refused.value.subject_id == str(memory_id)))
    assert answers[0] == answers[1]


async def test_an_unknown_session_is_refused_before_anything_is_written(core: Core, alice: Person) -> None:
    first = await write(core, alice)
    with pytest.raises(InvalidRequest) as refused:
        await correct(core, alice, first.memory.id, session_run_id=new_id())
    assert refused.value.field == "sessionRunId"
    assert (await read(core, alice, first.memory.id)).valid_to is None


async def test_live_memories_come_before_superseded_ones(core: Core, alice: Person, clock: Clock) -> None:
    first = await write(core, alice, content="apples are red, apples are round")
    clock.advance(days=1)
    second = await correct(core, alice, first.memory.id, content="apples are green")
    found = await find(core, alice, "apples are red, apples are round")
    assert [(hit.id, hit.superseded) for hit in found.hits] == [
        (second.memory.id, False),
        (first.memory.id, True),
    ]
    before = second.memory.id, (await read(core, alice, second.memory.id)).valid_from
    then = await find(core, alice, "apples", as_of={"valid_at": before[1]})
    assert [hit.id for hit in then.hits] == [second.memory.id]


async def test_the_database_itself_lets_no_superseded_memory_take_over(core: Core, alice: Person) -> None:
    first = await write(core, alice)
    second = await correct(core, alice, first.memory.id)
    third = await write(core, alice, content="a third opinion")
    closing = Edge(new_id(), first.memory.id, second.memory.id, EdgeType.SUPERSEDES)
    sideways = Edge(new_id(), first.memory.id, third.memory.id, EdgeType.UPDATES)
    for edge in (closing, sideways):
        with pytest.raises(CheckViolation, match="supersession_head"):
            async with core.database.tenant(alice.principal) as tx:
                await tx.run(drawing(edge, ActorKind.SYSTEM, at=core.clock()), commit=True)
