"""Archiving puts a memory and its facts away; bringing it back overrules nothing that came later."""

import pytest

from tests.conftest import Clock
from tests.integration.core.writing import bring_back, correct, day, facts, find, history, put_away, read, values, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import Conflict, NotFound
from threengram.core.ids import new_id
from threengram.schema.enums import MemoryStatus

WEIGHT = {"subject": "lift", "predicate": "kg"}


async def test_an_archived_memory_is_hidden_everywhere_and_returns_everywhere(
    core: Core, alice: Person, clock: Clock
) -> None:
    kept = await write(core, alice, content="apples", facts=[{**WEIGHT, "value": "98"}])
    clock.advance(days=1)
    for _ in range(2):
        assert (await put_away(core, alice, kept.memory.id)).status is MemoryStatus.ARCHIVED
    stored = await read(core, alice, kept.memory.id)
    assert (stored.status, stored.valid_to) == (MemoryStatus.ARCHIVED, None)
    assert (await find(core, alice, "apples")).hits == []
    assert await values(core, alice) == []
    clock.advance(days=1)
    for _ in range(2):
        assert (await bring_back(core, alice, kept.memory.id)).status is MemoryStatus.ACTIVE
    assert [hit.id for hit in (await find(core, alice, "apples")).hits] == [kept.memory.id]
    assert await values(core, alice) == ["98"]
    assert (await history(core, alice, kept.memory.id))[1:] == [
        ("archive", {"from": "active", "to": "archived"}),
        ("unarchive", {"from": "archived", "to": "active"}),
    ]


async def test_blockers_and_superseded_memories_are_not_archived(core: Core, alice: Person) -> None:
    blocker = await write(core, alice, memory_type="blocker")
    note = await write(core, alice)
    await correct(core, alice, note.memory.id)
    for memory_id in (blocker.memory.id, note.memory.id):
        for verb in (put_away, bring_back):
            with pytest.raises(Conflict):
                await verb(core, alice, memory_id)


async def test_unknown_and_foreign_memories_cannot_be_told_apart(core: Core, alice: Person, bob: Person) -> None:
    hers = await write(core, alice)
    for verb in (put_away, bring_back):
        for memory_id in (hers.memory.id, new_id()):
            with pytest.raises(NotFound) as refused:
                await verb(core, bob, memory_id)
            assert (str(refused.value), refused.value.subject_id) == ("no such memory", str(memory_id))


async def test_bringing_back_conflicts_with_live_memory_that_says_the_same(core: Core, alice: Person) -> None:
    kept = await write(core, alice)
    await put_away(core, alice, kept.memory.id)
    twin = await write(core, alice)
    with pytest.raises(Conflict) as refused:
        await bring_back(core, alice, kept.memory.id)
    assert (refused.value.code, refused.value.subject_id) == ("conflict", str(twin.memory.id))


async def test_an_archived_predecessor_gets_an_active_successor(core: Core, alice: Person) -> None:
    kept = await write(core, alice)
    await put_away(core, alice, kept.memory.id)
    successor = await correct(core, alice, kept.memory.id)
    assert (await read(core, alice, successor.memory.id)).status is MemoryStatus.ACTIVE


async def test_a_fact_returns_up_to_the_generation_that_came_meanwhile(core: Core, alice: Person, clock: Clock) -> None:
    kept = await write(core, alice, facts=[{**WEIGHT, "value": "98"}])
    clock.now = day(5)
    await put_away(core, alice, kept.memory.id)
    clock.now = day(7)
    newer = await write(core, alice, content="newer", facts=[{**WEIGHT, "value": "100"}])
    await bring_back(core, alice, kept.memory.id)
    assert newer.facts is not None
    series = (await facts(core, alice, range={"from": day(1)}, **WEIGHT)).facts
    assert [(fact.value, fact.valid_to) for fact in series] == [("98", newer.facts[0].valid_from), ("100", None)]


async def test_a_fact_whose_start_was_taken_meanwhile_stays_closed(core: Core, alice: Person, clock: Clock) -> None:
    kept = await write(core, alice, facts=[{**WEIGHT, "value": "98", "valid_from": day(20)}])
    await put_away(core, alice, kept.memory.id)
    await write(core, alice, content="newer", facts=[{**WEIGHT, "value": "100", "valid_from": day(10)}])
    await bring_back(core, alice, kept.memory.id)
    assert await values(core, alice, range={"from": day(1)}) == ["100"]
    clock.now = day(25)
    assert await values(core, alice) == ["100"]


async def test_a_fact_that_had_an_end_returns_to_it(core: Core, alice: Person, clock: Clock) -> None:
    kept = await write(core, alice, facts=[{**WEIGHT, "value": "98", "valid_from": day(2), "valid_to": day(12)}])
    clock.now = day(5)
    await put_away(core, alice, kept.memory.id)
    await bring_back(core, alice, kept.memory.id)
    (fact,) = (await facts(core, alice)).facts
    assert fact.valid_to == day(12)
