"""One write, all of it or nothing, and what it says about itself."""

import orjson
import pytest

from tests.integration.core.writing import bring_back, correct, put_away, rows, settle, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import InvalidRequest
from threengram.schema.enums import EmbeddedState

WORD = "quetzal"
TABLES = (
    "memories", "memory_lifetimes", "memory_events", "facts", "fact_lifetimes", "commitments", "memory_terms",
    "memory_embeddings", "embedding_jobs", "term_stats",
)  # fmt: skip


async def counts(core: Core, person: Person) -> dict[str, int]:
    return {table: (await rows(core, person, f"SELECT count(*) AS count FROM {table}"))[0]["count"] for table in TABLES}


async def test_a_memory_comes_with_all_that_belongs_to_it(core: Core, alice: Person) -> None:
    claims = [{"subject": "report", "predicate": f"pages.{number}", "value": "7"} for number in range(2)]
    written = await write(core, alice, memory_type="commitment", content="send the report", facts=claims)
    assert written.facts is not None
    assert (written.fact_ids, [fact.predicate for fact in written.facts]) == (
        [fact.id for fact in written.facts],
        ["pages.0", "pages.1"],
    )
    held = await counts(core, alice)
    assert held | {"memory_terms": 0, "term_stats": 0} == {
        "memories": 1, "memory_lifetimes": 1, "memory_events": 1, "facts": 2, "fact_lifetimes": 2, "commitments": 1,
        "memory_terms": 0, "memory_embeddings": 1, "embedding_jobs": 0, "term_stats": 0,
    }  # fmt: skip
    assert held["memory_terms"] == held["term_stats"] > 0


async def test_a_refused_fact_leaves_nothing_of_its_memory(core: Core, alice: Person) -> None:
    taken = {"subject": "lift", "predicate": "kg", "value": "98", "valid_from": "2026-03-02T12:00:00Z"}
    await write(core, alice, facts=[taken])
    before = await counts(core, alice)
    fine = {"subject": "lift", "predicate": "reps", "value": "5"}
    with pytest.raises(InvalidRequest):
        await write(core, alice, memory_type="commitment", content=WORD, facts=[fine, {**taken, "value": "1"}])
    assert await counts(core, alice) == before


async def test_a_series_named_twice_is_refused_with_its_path_and_a_hint(core: Core, alice: Person) -> None:
    claims = [{"subject": "lift", "predicate": "kg", "value": value} for value in ("98", "100")]
    with pytest.raises(InvalidRequest, match="put what differs into the subject or the predicate") as refused:
        await write(core, alice, facts=claims)
    assert refused.value.field == "facts[1]"


async def test_where_there_is_no_embedder_a_write_says_off(core: Core, alice: Person) -> None:
    written = await write(Core(core.database, None, core.cursors, core.clock), alice)
    assert written.embedded is EmbeddedState.OFF
    assert (await counts(core, alice))["embedding_jobs"] == 1


async def test_no_event_holds_a_word_that_somebody_wrote(core: Core, alice: Person) -> None:
    fact = {"subject": WORD, "predicate": WORD, "value": WORD}
    words: dict[str, object] = {"topic": WORD, "project": WORD, "tags": [WORD]}
    first = await write(core, alice, memory_type="commitment", content=WORD, owner=WORD, facts=[fact], **words)
    for status in ("waiting", "resolved", "open"):
        await settle(core, alice, first.memory.id, status)
    second = await correct(core, alice, first.memory.id, content=f"{WORD} flies", facts=[fact], **words)
    await put_away(core, alice, second.memory.id)
    await bring_back(core, alice, second.memory.id)
    events = await rows(core, alice, "SELECT event_kind, details FROM memory_events ORDER BY recorded_at, id")
    assert {row["event_kind"] for row in events} == {
        "create", "revise", "resolve", "unresolve", "supersede", "archive", "unarchive",
    }  # fmt: skip
    assert WORD not in orjson.dumps([row["details"] for row in events]).decode()
