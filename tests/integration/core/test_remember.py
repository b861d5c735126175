"""`remember`: one memory with all that belongs to it, or nothing."""

import pytest

from tests.conftest import Clock
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.errors import DuplicateMemory, InvalidRequest
from threengram.core.memories import get_memories, remember
from threengram.schema.enums import EmbeddedState
from threengram.schema.memories import GetMemoriesInput, RememberInput, RememberOutput


async def write(core: Core, person: Person, **fields: object) -> RememberOutput:
    request = RememberInput.model_validate(
        {"memory_type": "note", "topic": "a topic", "content": "some content", **fields}, strict=False
    )
    async with open_call(core, person.principal) as call:
        return await remember(call, request)


async def test_a_memory_reads_back_as_it_was_written(core: Core, alice: Person) -> None:
    written = await write(core, alice, topic="Chess", content="The Sicilian is sharp.", tags=["b", "a"], project="game")
    async with open_call(core, alice.principal) as call:
        read = await get_memories(call, GetMemoriesInput(ids=[written.memory.id]))
    (memory,) = read.memories
    assert written.embedded is EmbeddedState.DONE
    assert (memory.topic, memory.content, memory.tags) == ("Chess", "The Sicilian is sharp.", ["b", "a"])
    assert (memory.scope, memory.project, memory.truncated) == ("personal", "game", False)


async def test_the_same_content_twice_names_the_memory_that_is_in_the_way(core: Core, alice: Person) -> None:
    first = await write(core, alice)
    with pytest.raises(DuplicateMemory) as refused:
        await write(core, alice, topic="another topic")
    assert refused.value.subject_id == str(first.memory.id)


async def test_a_call_that_is_sent_again_with_its_facts_names_what_it_stored(core: Core, alice: Person) -> None:
    fact = {"subject": "lift", "predicate": "kg", "value": "98", "valid_from": "2026-03-02T12:00:00Z"}
    first = await write(core, alice, facts=[fact])
    with pytest.raises(DuplicateMemory, match=f"stored as {first.memory.id}") as refused:
        await write(core, alice, facts=[fact])
    assert refused.value.subject_id == str(first.memory.id)


async def test_the_same_content_is_no_duplicate_in_another_scope_project_or_type(core: Core, alice: Person) -> None:
    await write(core, alice)
    await write(core, alice, scope="work")
    await write(core, alice, project="p")
    await write(core, alice, memory_type="fact")


async def test_content_that_differs_in_case_or_in_spaces_within_is_no_duplicate(core: Core, alice: Person) -> None:
    first = await write(core, alice, content="The host is Alpha one.")
    await write(core, alice, content="The host is alpha one.")
    await write(core, alice, content="The host is Alpha  one.")
    with pytest.raises(DuplicateMemory) as refused:
        await write(core, alice, content="  The host is Alpha one.\n")
    assert refused.value.subject_id == str(first.memory.id)


async def test_a_newer_fact_ends_the_one_before_it(core: Core, alice: Person, clock: Clock) -> None:
    fact = {"subject": "lift", "predicate": "kg"}
    first = await write(core, alice, facts=[{**fact, "value": "98"}])
    clock.advance(days=1)
    second = await write(core, alice, content="more", facts=[{**fact, "value": "100"}])
    late = await write(
        core, alice, content="late", facts=[{**fact, "value": "99", "valid_from": "2026-03-02T12:00:00Z"}]
    )
    assert first.facts is not None
    assert second.facts is not None
    assert late.facts is not None
    assert second.facts[0].valid_to is None
    assert late.facts[0].valid_to == second.facts[0].valid_from


async def test_two_values_cannot_begin_at_the_same_instant(core: Core, alice: Person) -> None:
    fact = {"subject": "lift", "predicate": "kg", "valid_from": "2026-03-02T12:00:00Z"}
    await write(core, alice, facts=[{**fact, "value": "98"}])
    with pytest.raises(InvalidRequest) as refused:
        await write(core, alice, content="more", facts=[{**fact, "value": "100"}])
    assert refused.value.field == "facts[0].validFrom"
