"""What every search keeps to, whatever it finds: its envelope, one rule of eligibility, no needless embedding."""

from collections.abc import Mapping

import pytest
from pydantic import ValidationError

from tests.integration.core.test_policy import RecordingEmbedder
from tests.integration.core.writing import correct, day, find, put_away, read, settle, write
from tests.people import Person
from threengram.core.call import Core
from threengram.schema.bounds import MAX_CURSOR_CHARS
from threengram.schema.enums import VectorCoverage
from threengram.schema.errors import issues_of
from threengram.schema.search import SearchInput

HIT = {
    "id", "memoryType", "topic", "content", "contentLength", "truncated", "score", "superseded", "scope", "project",
    "recordedAt",
}  # fmt: skip
BODY = {"content", "contentLength", "truncated"}


async def test_the_envelope_has_these_fields(core: Core, alice: Person) -> None:
    for number in range(7):
        await write(core, alice, content=f"apples {number}")
    page = (await find(core, alice, "apples")).wire()
    compact = (await find(core, alice, "apples", limit=25, projection="compact")).wire()
    assert set(page) == {"hits", "count", "hasMore", "nextCursor", "coverage"}
    assert (page["count"], page["hasMore"], len(page["hits"])) == (5, True, 5)
    assert set(page["coverage"]) == {"vector", "lexical", "candidates", "topSimilarity", "pendingEmbeddings"}
    assert all(set(hit) == HIT for hit in page["hits"])
    assert all(set(hit) == HIT - BODY for hit in compact["hits"])
    assert (set(compact), compact["count"]) == ({"hits", "count", "hasMore", "coverage"}, 7)


async def test_a_chronological_search_embeds_nothing(core: Core, alice: Person) -> None:
    await write(core, alice, content="apples")
    recording = RecordingEmbedder(is_metered=False)
    listing = Core(core.database, recording, core.cursors, core.clock)
    for query in (None, "apples"):
        found = await find(listing, alice, query, order="chronological", memory_type="note")
        assert (found.count, found.coverage.vector) == (1, VectorCoverage.OFF)
    assert recording.sent == []


ELIGIBLE: tuple[Mapping[str, object], ...] = (
    {},
    {"status": "active"},
    {"status": "archived"},
    {"memory_type": "decision"},
    {"memory_types": ["decision", "blocker"]},
    {"scope": "work"},
    {"project": "atlas"},
    {"recorded_after": day(4)},
    {"recorded_before": day(4)},
    {"as_of": {"valid_at": day(4)}},
    {"as_of": {"as_known_at": day(4)}},
    {"as_of": {"valid_at": day(3), "as_known_at": day(6)}, "project": "atlas"},
    {"as_of": {"valid_at": day(9)}, "status": "archived"},
)


@pytest.mark.parametrize("filters", ELIGIBLE)
async def test_both_orders_find_the_same_memories(core: Core, alice: Person, filters: Mapping[str, object]) -> None:
    clock = core.clock
    ids = []
    for number, kind in enumerate(("decision", "note", "blocker", "decision", "note")):
        setattr(clock, "now", day(2 + number))  # noqa: B010 - the clock of this test, seen through its type
        place = {"scope": "work"} if number % 2 else {"project": "atlas"}
        ids.append((await write(core, alice, content=f"apples {number}", memory_type=kind, **place)).memory.id)
    await correct(core, alice, ids[0], memory_type="decision", content="apples again")
    await put_away(core, alice, ids[1])
    await settle(core, alice, ids[2])
    ranked = await find(core, alice, "apples", limit=25, **filters)
    listed = await find(core, alice, "apples", limit=25, order="chronological", **filters)
    assert ranked.count > 0
    assert {hit.id: hit.superseded for hit in ranked.hits} == {hit.id: hit.superseded for hit in listed.hits}


def test_a_cursor_longer_than_any_that_was_issued_is_not_even_opened() -> None:
    with pytest.raises(ValidationError) as refused:
        SearchInput.parse('{"query": "q", "cursor": "' + "A" * (MAX_CURSOR_CHARS + 1) + '"}')
    assert [(issue.path, issue.code) for issue in issues_of(refused.value)] == [("cursor", "string_too_long")]


async def test_a_superseded_memory_is_demoted_and_never_hidden(core: Core, alice: Person) -> None:
    old = await write(core, alice, content="apples are red")
    new = await correct(core, alice, old.memory.id, content="something else entirely")
    hits = (await find(core, alice, "apples are red")).hits
    assert [(hit.id, hit.superseded) for hit in hits] == [(new.memory.id, False), (old.memory.id, True)]
    assert (await read(core, alice, old.memory.id)).superseded_by is not None


async def test_words_of_an_old_statement_lead_to_the_one_that_replaced_it(core: Core, alice: Person) -> None:
    unpaid = await write(core, alice, content="Vantreuil has not paid invoice 2025-031.")
    reminded = await correct(core, alice, unpaid.memory.id, content="A second reminder went out by registered letter.")
    settled = await correct(core, alice, reminded.memory.id, content="All of it arrived, with interest.")
    for content in ("Invoices are numbered by year.", "Keep an invoice for ten years.", "Whom to ask about invoices."):
        await write(core, alice, content=content)
    hits = [hit.id for hit in (await find(core, alice, "invoice 2025-031")).hits]
    assert hits[0] == settled.memory.id
    everything = [hit.id for hit in (await find(core, alice, "invoice 2025-031", limit=25)).hits]
    assert set(everything[-2:]) == {unpaid.memory.id, reminded.memory.id}
