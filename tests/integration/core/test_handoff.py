"""`handoff`: what the next agent needs, bounded in entries and in bytes, of one snapshot."""

import asyncio
from datetime import timedelta
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from tests.conftest import Clock
from tests.integration.core.orienting import crowd, hand_over, topics
from tests.integration.core.registry import configure
from tests.integration.core.writing import correct, day, put_away, rows, settle, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import UnscopedRetrieval
from threengram.schema.bounds import MAX_EXCERPT_CHARS, MAX_GET_TOTAL_BYTES
from threengram.schema.errors import issues_of
from threengram.schema.handoff import HandoffInput, HandoffOutput

SECTIONS = ("decisions", "preferences", "commitments", "blockers", "facts")
NONE_TRUNCATED = dict.fromkeys(SECTIONS, False)


def claim(value: str, **fields: object) -> dict[str, object]:
    return {"subject": "api", "predicate": "port", "value": value, **fields}


def answer_bytes(answer: HandoffOutput) -> int:
    """The answer as an MCP client receives it: structured content, and its mirror as a string within JSON."""
    structured = orjson.dumps(answer.wire())
    return len(structured) + len(orjson.dumps(structured.decode()))


@pytest.mark.parametrize(
    ("arguments", "path"),
    [({}, "selector"), ({"selector": {"kind": "scope"}}, "selector.scope"),
     ({"selector": {"kind": "all"}, "sectionLimit": 101}, "sectionLimit"),
     ({"selector": {"kind": "all"}, "generatedFor": "  "}, "generatedFor"),
     ({"selector": {"kind": "all"}, "generatedFor": "x" * 257}, "generatedFor"),
     ({"selector": {"kind": "all"}, "mode": "full"}, "mode")],
)  # fmt: skip
def test_arguments_out_of_bounds_are_refused(arguments: dict[str, Any], path: str) -> None:
    with pytest.raises(ValidationError) as failure:
        HandoffInput.parse(orjson.dumps(arguments))
    assert [issue.path for issue in issues_of(failure.value)] == [path]


async def test_an_empty_memory_hands_over_nothing(core: Core, alice: Person, clock: Clock) -> None:
    answer = await hand_over(core, alice, generatedFor=" the night shift ")
    assert answer.generated_at == clock.now
    wire = answer.wire()
    del wire["generatedAt"]
    assert wire == {
        "selector": {"kind": "all"}, "generatedFor": "the night shift", **{name: [] for name in SECTIONS}, "notes": [],
        "counts": dict.fromkeys(SECTIONS, 0), "truncated": NONE_TRUNCATED,
    }  # fmt: skip


async def test_each_section_hands_over_its_own_newest_first(core: Core, alice: Person) -> None:
    for number in range(2):
        for kind in ("decision", "preference", "blocker", "commitment", "fact", "note", "event", "pattern"):
            await write(core, alice, memory_type=kind, topic=f"{kind} {number}", content=f"{kind} {number}")
    await write(core, alice, memory_type="commitment", topic="dated", content="dated", due_at=day(9), owner="Grace")
    answer = await hand_over(core, alice)
    assert topics(answer.decisions) == ["decision 1", "decision 0"]
    assert topics(answer.preferences) == ["preference 1", "preference 0"]
    assert topics(answer.blockers) == ["blocker 1", "blocker 0"]
    assert topics(answer.commitments) == ["dated", "commitment 0", "commitment 1"]
    assert (answer.commitments[0].due_at, answer.commitments[0].owner) == (day(9), "Grace")
    assert answer.wire()["counts"] == {"decisions": 2, "preferences": 2, "commitments": 3, "blockers": 2, "facts": 0}
    assert answer.wire()["truncated"] == NONE_TRUNCATED


async def test_facts_are_those_valid_now_newest_first(core: Core, alice: Person, clock: Clock) -> None:
    for number, fact in enumerate((
        claim("8080", valid_from=day(1)), claim("8300"), claim("9000", valid_from=day(8), predicate="next_port"),
        claim("70", predicate="load", valid_from=day(1), valid_to=day(4)),
    )):  # fmt: skip
        await write(core, alice, content=f"port {number}", facts=[fact])
    answer = await hand_over(core, alice)
    assert [(fact.predicate, fact.value) for fact in answer.facts] == [("load", "70"), ("port", "8300")]
    assert answer.counts.facts == 2
    clock.now = day(8)
    assert [fact.value for fact in (await hand_over(core, alice)).facts] == ["9000", "8300"]


async def test_facts_of_what_no_longer_stands_are_left_out(core: Core, alice: Person) -> None:
    ids = []
    for kind in ("decision", "note", "blocker"):
        fact = claim("1", subject=kind)
        ids.append((await write(core, alice, memory_type=kind, content=kind, facts=[fact])).memory.id)
    assert len((await hand_over(core, alice)).facts) == 3
    await correct(core, alice, ids[0], memory_type="decision", topic="new", facts=[claim("2", subject="decision")])
    await put_away(core, alice, ids[1])
    await settle(core, alice, ids[2])
    answer = await hand_over(core, alice)
    assert [fact.value for fact in answer.facts] == ["2"]
    assert topics(answer.decisions) == ["new"]
    assert (answer.blockers, answer.counts.blockers, answer.counts.facts) == ([], 0, 1)


async def test_a_selector_holds_for_every_section(core: Core, alice: Person) -> None:
    for scope in ("work", "home"):
        for project in ("atlas", "borealis", None):
            for kind in ("decision", "preference", "blocker", "commitment"):
                place = f"{scope} {project}"
                await write(
                    core, alice, memory_type=kind, topic=place, content=place, scope=scope, project=project,
                    facts=[claim(place, subject=kind, predicate=place)],
                )  # fmt: skip

    async def selected(**selector: Any) -> set[str]:
        answer = await hand_over(core, alice, selector)
        found = [set(topics(getattr(answer, name))) for name in SECTIONS[:-1]]
        found.append({fact.value for fact in answer.facts})
        assert all(places == found[0] for places in found)
        return found[0]

    both = {"kind": "scope_project", "scope": "work", "project": "atlas"}
    assert len(await selected(kind="all")) == 6
    assert await selected(kind="scope", scope="work") == {"work atlas", "work borealis", "work None"}
    assert await selected(kind="project", project="atlas") == {"work atlas", "home atlas"}
    assert await selected(**both) == {"work atlas"}
    assert await selected(**both, includeUnscoped=True) == {"work atlas", "work None"}


async def test_the_retrieval_default_narrows_a_handoff_as_a_briefing(core: Core, alice: Person) -> None:
    for scope in ("work", "home"):
        await write(
            core, alice, memory_type="decision", topic=scope, content=scope, scope=scope, project="atlas",
            facts=[claim(scope, subject=scope)],
        )  # fmt: skip
    await configure(core, alice, "set_aliases", name="work", aliases=["office"])
    aliased = await hand_over(core, alice, {"kind": "scope", "scope": "office"})
    assert (topics(aliased.decisions), aliased.selector.scope, aliased.applied_scope) == (["work"], "work", None)
    await configure(core, alice, "set_retrieval_default", mode="default", scope="work")
    narrowed = await hand_over(core, alice)
    assert (topics(narrowed.decisions), [fact.value for fact in narrowed.facts]) == (["work"], ["work"])
    assert (narrowed.selector.wire(), narrowed.applied_scope) == ({"kind": "scope", "scope": "work"}, "work")
    await configure(core, alice, "set_retrieval_default", mode="require", scope=None)
    with pytest.raises(UnscopedRetrieval, match="work"):
        await hand_over(core, alice)
    by_project = await hand_over(core, alice, {"kind": "project", "project": "atlas"})
    assert topics(by_project.decisions) == ["home", "work"]


def _limited(entries: int | None) -> dict[str, Any]:
    return {} if entries is None else {"sectionLimit": entries}


async def test_totals_are_exact_beyond_what_is_handed_over(core: Core, alice: Person) -> None:
    await crowd(core, alice, 240)
    for limit, entries in ((None, 25), (4, 4), (30, 30)):
        answer = await hand_over(core, alice, **_limited(limit))
        for name in SECTIONS[:-1]:
            assert len(getattr(answer, name)) == entries
            assert (getattr(answer.counts, name), getattr(answer.truncated, name)) == (30, entries < 30)


async def test_a_long_content_and_a_long_value_are_excerpts_that_say_so(core: Core, alice: Person) -> None:
    await write(
        core, alice, memory_type="decision", content="x" * 601, facts=[claim("y" * 601), claim("z", predicate="short")]
    )
    await write(core, alice, memory_type="commitment", content="z" * 600)
    answer = await hand_over(core, alice)
    (decision,), (commitment,) = answer.decisions, answer.commitments
    long, short = sorted(answer.facts, key=lambda fact: fact.predicate)
    assert (len(decision.content), decision.content[-2:], decision.content_length, decision.truncated) == (
        MAX_EXCERPT_CHARS, "x…", 601, True,
    )  # fmt: skip
    assert (commitment.content, commitment.content_length, commitment.truncated) == ("z" * 600, 600, False)
    assert (len(long.value), long.value[-2:], long.truncated) == (MAX_EXCERPT_CHARS, "y…", True)
    assert (short.value, short.truncated) == ("z", False)


@pytest.mark.parametrize("character", ["a", "語", "🙂", "\x01", '"'])
async def test_the_longest_answer_stays_within_its_bytes(core: Core, alice: Person, character: str) -> None:
    await crowd(core, alice, 800, topic=character * 250, content=character * 1_900, project=character * 250)
    await rows(
        core,
        alice,
        """
        INSERT INTO facts (tenant_id, id, memory_id, subject, predicate, value, valid_from, recorded_at, changed_at)
        SELECT %(tenant_id)s, gen_random_uuid(), id, repeat(%(text)s, 250) || memory_no, repeat(%(text)s, 250),
               repeat(%(text)s, 1900), recorded_at, recorded_at, recorded_at
        FROM memories WHERE memory_no <= 120
        """,
        text=character,
    )
    answer = await hand_over(core, alice, sectionLimit=100, generatedFor=character * 256)
    assert answer_bytes(answer) <= MAX_GET_TOTAL_BYTES
    assert answer.wire()["counts"] == dict.fromkeys(SECTIONS[:-1], 100) | {"facts": 120}
    for name in SECTIONS:
        entries = getattr(answer, name)
        assert len(entries) >= 8
        assert getattr(answer.truncated, name) == (len(entries) < getattr(answer.counts, name))


async def test_a_tenant_hands_over_its_own(core: Core, alice: Person, bob: Person) -> None:
    await write(core, alice, memory_type="decision", facts=[claim("8300")])
    assert (await hand_over(core, bob)).wire()["counts"] == dict.fromkeys(SECTIONS, 0)


async def test_a_decision_and_its_facts_are_of_one_moment(core: Core, alice: Person, clock: Clock) -> None:
    """Three statements, one snapshot: revisions go on, and each answer holds one generation of everything."""
    kind, memory_id, is_done = "decision", "", False
    first = await write(core, alice, memory_type=kind, topic="port 0", content="port 0", facts=[claim("0")])
    memory_id = str(first.memory.id)

    async def move_on() -> int:
        nonlocal memory_id, is_done
        number = 0
        while number < 40 or len(seen) < 2:
            number += 1
            clock.advance(seconds=1)
            revised = await correct(
                core, alice, memory_id, memory_type="commitment" if number % 2 else "decision",
                topic=f"port {number}", content=f"port {number}", facts=[claim(str(number))],
            )  # fmt: skip
            memory_id = str(revised.memory.id)
        is_done = True
        return number

    seen: set[str] = set()
    moving = asyncio.create_task(move_on())
    while not is_done and not moving.done():
        answer = await hand_over(core, alice)
        entries = topics(answer.decisions) + topics(answer.commitments)
        assert len(entries) == answer.counts.decisions + answer.counts.commitments == 1
        assert [f"port {fact.value}" for fact in answer.facts] in (entries, [])
        seen.update(entries)
    last = await moving
    clock.advance(seconds=1)
    assert [fact.value for fact in (await hand_over(core, alice)).facts] == [str(last)]


async def test_facts_recorded_at_one_instant_are_ordered_by_id(core: Core, alice: Person, clock: Clock) -> None:
    await write(core, alice, facts=[claim(str(number), predicate=f"port_{number}") for number in range(5)])
    clock.now += timedelta(seconds=1)
    ids = [fact.id for fact in (await hand_over(core, alice, sectionLimit=3)).facts]
    found = await rows(core, alice, "SELECT id FROM facts ORDER BY id LIMIT 3")
    assert ids == [row["id"] for row in found]
