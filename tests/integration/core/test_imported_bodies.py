"""Bodies of 262,144 characters: found by any word, cut where a read is bounded, whole where it is not."""

import orjson
import pytest

from tests.integration.core.planting import plant
from tests.integration.core.writing import correct, find, read
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.memories import get_memories, read_resource
from threengram.core.memories.read import get_memory
from threengram.schema import bounds
from threengram.schema.memories import GetMemoriesInput, GetMemoryInput

LAST = " quetzalcoatlus"
FILLINGS = {
    "words": "".join(f"word{number % 1_500} " for number in range(40_000)),
    "CJK": "日本語の長い本文。" * 30_000,
    "emoji": "🦕🦖" * 140_000,
    "control": "\x01\x02" * 140_000,
}


def body(kind: str) -> str:
    return FILLINGS[kind][: bounds.MAX_IMPORT_CONTENT_CHARS - len(LAST)] + LAST


@pytest.mark.parametrize("kind", FILLINGS)
async def test_an_imported_body_is_found_by_its_last_word_and_cut_in_a_hit(
    core: Core, alice: Person, kind: str
) -> None:
    planted = await plant(core, alice, body(kind))
    for order in ("relevance", "chronological"):
        (hit,) = (await find(core, alice, "quetzalcoatlus", order=order)).hits
        assert hit.id == planted
        assert (hit.content_length, hit.truncated) == (bounds.MAX_IMPORT_CONTENT_CHARS, True)
        assert hit.content == body(kind)[: bounds.MAX_EXCERPT_CHARS - 1] + "…"


@pytest.mark.parametrize("kind", FILLINGS)
async def test_an_imported_body_is_read_within_the_bounds_of_each_read(core: Core, alice: Person, kind: str) -> None:
    planted = await plant(core, alice, body(kind))
    async with open_call(core, alice.principal) as call:
        asked = GetMemoriesInput(ids=[planted], max_content_chars=bounds.MAX_GET_CONTENT_CHARS)
        answer = await get_memories(call, asked)
    (cut,) = answer.memories
    assert (cut.content_length, cut.truncated) == (bounds.MAX_IMPORT_CONTENT_CHARS, True)
    assert len(cut.content) <= bounds.MAX_GET_CONTENT_CHARS
    assert body(kind).startswith(cut.content.removesuffix("…"))
    structured = orjson.dumps(answer.wire())
    assert len(structured) + len(orjson.dumps(structured.decode())) <= bounds.MAX_GET_TOTAL_BYTES
    async with open_call(core, alice.principal) as call:
        whole = await get_memory(call, GetMemoryInput(id=planted))
    async with open_call(core, alice.principal) as call:
        resource = await read_resource(call, planted)
    assert (whole.content, whole.truncated) == (body(kind), False)
    assert (resource.content, resource.content_length) == (body(kind), bounds.MAX_IMPORT_CONTENT_CHARS)


async def test_of_more_distinct_words_than_are_posted_the_first_ones_find_a_body(core: Core, alice: Person) -> None:
    planted = await plant(core, alice, "".join(f"word{number} " for number in range(25_000)).strip())
    for query, hits in (("word0", [planted]), ("word1000", [planted]), ("word24999", [])):
        assert [hit.id for hit in (await find(core, alice, query, order="chronological")).hits] == hits


async def test_an_imported_body_is_corrected_by_a_short_one(core: Core, alice: Person) -> None:
    planted = await plant(core, alice, body("words"))
    successor = await correct(core, alice, planted, content="only this remains")
    assert (await read(core, alice, planted)).superseded_by is not None
    found = await find(core, alice, "quetzalcoatlus remains")
    assert [hit.id for hit in found.hits] == [successor.memory.id, planted]


async def test_a_body_is_cut_at_ten_thousand_characters_unless_another_bound_is_asked_for(
    core: Core, alice: Person
) -> None:
    planted = await plant(core, alice, body("words"))
    bounded = await read(core, alice, planted)
    assert (len(bounded.content), bounded.truncated) == (10_000, True)
