"""`get_facts`: what holds now, what held then, and the whole series, page by page."""

import pytest
from pydantic import ValidationError

from tests.conftest import Clock
from tests.integration.core.registry import configure
from tests.integration.core.writing import correct, day, facts, values, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.errors import InvalidCursor, InvalidRequest, UnscopedRetrieval
from threengram.schema.errors import issues_of
from threengram.schema.facts import GetFactsInput

WEIGHT = {"subject": "lift", "predicate": "kg"}


async def weigh(core: Core, person: Person, value: str, **fields: object) -> None:
    await write(core, person, content=f"lifted {value}", facts=[{**WEIGHT, "value": value, **fields}])


async def test_what_is_valid_now_follows_the_clock(core: Core, alice: Person, clock: Clock) -> None:
    await weigh(core, alice, "98")
    await weigh(core, alice, "105", valid_from=day(10))
    await write(
        core,
        alice,
        content="a promise that ends",
        facts=[{"subject": "fee", "predicate": "eur", "value": "5", "valid_from": day(1), "valid_to": day(5)}],
    )
    assert await values(core, alice) == ["5", "98"]
    clock.now = day(6)
    assert await values(core, alice) == ["98"]
    clock.now = day(10)
    assert await values(core, alice) == ["105"]


async def test_a_fact_says_which_memory_states_it(core: Core, alice: Person) -> None:
    written = await write(core, alice, facts=[{**WEIGHT, "value": "98", "confidence": 0.9}])
    assert (await facts(core, alice)).facts == written.facts
    assert written.facts is not None
    assert written.facts[0].memory_id == written.memory.id


async def test_boundaries_are_half_open(core: Core, alice: Person, clock: Clock) -> None:
    await weigh(core, alice, "98", valid_from=day(2))
    await weigh(core, alice, "100", valid_from=day(4))
    before_start, before_end = "2026-03-02T08:59:59.999999Z", "2026-03-04T08:59:59.999999Z"
    clock.now = day(9)
    for instant, held in ((before_start, []), (day(2), ["98"]), (before_end, ["98"]), (day(4), ["100"])):
        assert await values(core, alice, as_of={"valid_at": instant}) == held
    for window, series in (
        ({"from": day(2), "to": day(4)}, ["98"]),
        ({"from": day(4)}, ["100"]),
        ({"to": day(2)}, []),
        ({"from": before_end, "to": "2026-03-04T09:00:00.000001Z"}, ["98", "100"]),
        ({"from": day(3), "to": day(3)}, ["98"]),
        ({"to": day(30)}, ["98", "100"]),
    ):
        assert await values(core, alice, range=window) == series


async def test_the_past_is_answered_by_what_was_known_then(core: Core, alice: Person, clock: Clock) -> None:
    await weigh(core, alice, "98", valid_from=day(2))
    clock.now = day(6)
    tuesday = clock()
    clock.now = day(8)
    await weigh(core, alice, "99", valid_from=day(4))
    for asked_on in (day(9), day(30)):
        clock.now = asked_on
        assert await values(core, alice, as_of={"as_known_at": tuesday}) == ["98"]
        assert await values(core, alice, as_of={"valid_at": tuesday}) == ["99"]
        assert await values(core, alice, as_of={"valid_at": tuesday, "as_known_at": tuesday}) == ["98"]
        assert await values(core, alice, as_of={"valid_at": day(3), "as_known_at": day(9)}) == ["98"]
        assert await values(core, alice, as_of={"as_known_at": day(1)}) == []


async def test_what_was_known_then_shows_the_end_known_then(core: Core, alice: Person, clock: Clock) -> None:
    await weigh(core, alice, "98")
    known = clock()
    clock.now = day(5)
    await weigh(core, alice, "100")
    (fact,) = (await facts(core, alice, as_of={"as_known_at": known})).facts
    assert fact.valid_to is None
    (fact,) = (await facts(core, alice, as_of={"valid_at": known})).facts
    assert fact.valid_to is not None


async def test_a_revision_ends_the_open_facts_and_places_its_own(core: Core, alice: Person, clock: Clock) -> None:
    other = {"subject": "lift", "predicate": "reps", "value": "5"}
    first = await write(core, alice, facts=[{**WEIGHT, "value": "98"}, other])
    clock.now = day(5)
    second = await correct(core, alice, first.memory.id, facts=[{**WEIGHT, "value": "100"}])
    assert await values(core, alice) == ["100"]
    assert first.facts is not None
    assert second.facts is not None
    assert second.fact_ids == [second.facts[0].id]
    (former,) = (await facts(core, alice, **WEIGHT, as_of={"valid_at": day(4)})).facts
    assert (former.id, former.valid_to) == (first.facts[0].id, second.facts[0].valid_from)


async def test_a_revision_may_correct_a_fact_from_its_very_start(core: Core, alice: Person, clock: Clock) -> None:
    first = await write(core, alice, facts=[{**WEIGHT, "value": "89", "valid_from": day(2)}])
    clock.now = day(5)
    typo = clock()
    await correct(core, alice, first.memory.id, facts=[{**WEIGHT, "value": "98", "valid_from": day(2)}])
    assert await values(core, alice, as_of={"valid_at": day(3)}) == ["98"]
    assert await values(core, alice, as_of={"valid_at": day(3), "as_known_at": typo}) == ["89"]
    assert await values(core, alice, range={"from": day(1)}) == ["98"]


async def test_another_memorys_fact_is_not_overwritten_by_a_revision(core: Core, alice: Person) -> None:
    await weigh(core, alice, "98", valid_from=day(2))
    other = await write(core, alice)
    with pytest.raises(InvalidRequest) as refused:
        await correct(core, alice, other.memory.id, facts=[{**WEIGHT, "value": "1", "valid_from": day(2)}])
    assert refused.value.field == "facts[0].validFrom"


async def test_a_write_from_a_slower_clock_is_still_the_latest(core: Core, alice: Person, clock: Clock) -> None:
    await weigh(core, alice, "98")
    clock.advance(seconds=-5)
    await weigh(core, alice, "100")
    clock.advance(seconds=10)
    assert await values(core, alice) == ["100"]


@pytest.mark.parametrize("fields", [{}, {"range": {"from": "2026-03-01T00:00:00Z"}}])
async def test_a_walk_shows_every_fact_once(core: Core, alice: Person, fields: dict[str, object]) -> None:
    for number in range(4):
        claims = [{"subject": f"{number}.{item}", "predicate": "p", "value": f"{number}.{item}"} for item in range(6)]
        await write(core, alice, content=f"memory {number}", facts=claims)
    walked, cursor = [], None
    while True:
        page = await facts(core, alice, limit=5, cursor=cursor, **fields)
        walked += [fact.value for fact in page.facts]
        assert page.has_more == (page.next_cursor is not None)
        await write(
            core, alice, content=f"later {len(walked)}", facts=[{"subject": "x", "predicate": "p", "value": "x"}]
        )
        cursor = page.next_cursor
        if cursor is None:
            break
    known = [value for value in walked if value != "x"]
    order = [3, 2, 1, 0] if not fields else [0, 1, 2, 3]
    assert known == [f"{number}.{item}" for number in order for item in range(6)]


async def test_a_walk_keeps_the_now_of_its_first_page(core: Core, alice: Person, clock: Clock) -> None:
    claims = [{"subject": str(item), "predicate": "p", "value": str(item), "valid_from": day(1), "valid_to": day(5)}
              for item in range(4)]  # fmt: skip
    await write(core, alice, facts=claims)
    page = await facts(core, alice, limit=3)
    clock.now = day(6)
    assert await values(core, alice, limit=3, cursor=page.next_cursor) == ["3"]
    assert await values(core, alice) == []


async def test_a_cursor_serves_only_its_own_question_and_tenant(core: Core, alice: Person, bob: Person) -> None:
    claims = [{"subject": str(item), "predicate": "p", "value": str(item)} for item in range(4)]
    await write(core, alice, facts=claims)
    cursor = (await facts(core, alice, limit=2)).next_cursor
    assert cursor is not None
    for person, fields in ((alice, {"subject": "1"}), (alice, {"range": {"from": day(1)}}), (bob, {})):
        with pytest.raises(InvalidCursor):
            await facts(core, person, cursor=cursor, **fields)


async def test_scope_and_project_narrow_by_the_memory_that_states_the_fact(core: Core, alice: Person) -> None:
    await write(core, alice, scope="work", project="atlas", facts=[{**WEIGHT, "value": "98"}])
    await write(core, alice, content="at home", facts=[{"subject": "cat", "predicate": "kg", "value": "4"}])
    await configure(core, alice, "set_aliases", name="work", aliases=["office"])
    for narrowed in ({"scope": "work"}, {"scope": "office"}, {"project": "atlas"}):
        assert await values(core, alice, **narrowed) == ["98"]
        assert await values(core, alice, **narrowed, as_of={"as_known_at": day(30)}) == ["98"]
    assert await values(core, alice, scope="work", subject="cat") == []


async def test_the_retrieval_default_applies_to_facts_too(core: Core, alice: Person) -> None:
    await write(core, alice, scope="work", facts=[{**WEIGHT, "value": "98"}])
    await write(core, alice, content="at home", facts=[{"subject": "cat", "predicate": "kg", "value": "4"}])
    await configure(core, alice, "set_retrieval_default", mode="default", scope="work")
    page = await facts(core, alice)
    assert ([fact.value for fact in page.facts], page.applied_scope) == (["98"], "work")
    await configure(core, alice, "set_retrieval_default", mode="require", scope=None)
    with pytest.raises(UnscopedRetrieval):
        await facts(core, alice)


async def test_nothing_of_another_tenant_is_shown(core: Core, alice: Person, bob: Person) -> None:
    await write(core, alice, facts=[{**WEIGHT, "value": "98"}])
    for fields in ({}, WEIGHT, {"range": {"from": day(1)}}, {"as_of": {"as_known_at": day(30)}}):
        assert await values(core, bob, **fields) == []


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ('{"asOf": {"validAt": "2026-03-01T00:00:00Z"}, "range": {"to": "2026-03-01T00:00:00Z"}}', "range"),
        ('{"range": {}}', "range"),
        ('{"range": {"from": "2026-03-02T00:00:00Z", "to": "2026-03-01T00:00:00Z"}}', "range.to"),
        ('{"asOf": {}}', "asOf"),
        ('{"asOf": {"validAt": "2026-03-01T00:00:00"}}', "asOf.validAt"),
        ('{"range": {"from": "2026-03-01T00:00:00.1234567Z"}}', "range.from"),
        ('{"limit": 0}', "limit"),
        ('{"limit": 201}', "limit"),
        ('{"subjects": "x"}', "subjects"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_path(arguments: str, path: str) -> None:
    with pytest.raises(ValidationError) as refused:
        GetFactsInput.parse(arguments)
    assert [issue.path for issue in issues_of(refused.value)] == [path]
