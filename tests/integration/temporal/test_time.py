"""Instants: offsets equal their UTC twins, naive times are refused, boundaries are half-open, ties page correctly."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from pydantic import ValidationError

from tests.conftest import Clock
from tests.integration.core.writing import (
    bring_back,
    correct,
    day,
    facts,
    find,
    obligation,
    put_away,
    read,
    rows,
    settle,
    values,
    write,
)
from tests.people import Person
from threengram.core.call import Core
from threengram.schema.facts import GetFactsInput
from threengram.schema.memories import RememberInput
from threengram.schema.revisions import ReviseInput
from threengram.schema.search import SearchInput

MICROSECOND = timedelta(microseconds=1)
CHANGES = {
    "America/New_York": (datetime(2026, 3, 8, 7, tzinfo=UTC), datetime(2026, 11, 1, 6, tzinfo=UTC)),
    "Europe/Copenhagen": (datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC)),
    "Asia/Tokyo": (datetime(2026, 3, 29, 15, tzinfo=UTC),),
    "Pacific/Apia": (datetime(2011, 12, 30, 10, tzinfo=UTC), datetime(2026, 9, 26, 14, tzinfo=UTC)),
}
"""Instants at which local clocks change, or a local day is skipped."""


async def ids(core: Core, person: Person, **as_of: object) -> set[UUID]:
    return {hit.id for hit in (await find(core, person, None, order="chronological", as_of=as_of)).hits}


async def test_an_offset_means_the_same_instant_as_its_utc_twin(core: Core, alice: Person, clock: Clock) -> None:
    clock.now = day(5)
    weight = {"subject": "lift", "predicate": "kg"}
    await write(core, alice, facts=[{**weight, "value": "98", "valid_from": "2026-03-04T01:30:00+05:30"}])
    clock.now = day(9)
    for boundary, held in (("2026-03-03T20:00:00Z", ["98"]), ("2026-03-03T19:59:59.999999Z", [])):
        instant = datetime.fromisoformat(boundary)
        for offset in (timedelta(0), timedelta(hours=14), timedelta(hours=-12), timedelta(hours=5, minutes=45)):
            local = instant.astimezone(timezone(offset)).isoformat()
            assert await values(core, alice, as_of={"valid_at": local}) == held
            assert await values(core, alice, range={"from": day(1), "to": local}) == []
    (fact,) = (await facts(core, alice)).facts
    assert fact.valid_from == datetime(2026, 3, 3, 20, tzinfo=UTC)
    assert fact.model_dump(mode="json")["validFrom"] == "2026-03-03T20:00:00Z"


@pytest.mark.parametrize("zone", CHANGES)
async def test_nothing_moves_when_local_clocks_do(core: Core, alice: Person, clock: Clock, zone: str) -> None:
    for change in CHANGES[zone]:
        starts = [change + timedelta(minutes=30) * step for step in range(-3, 4)]
        subject = change.isoformat()
        for start in starts:
            local = start.astimezone(ZoneInfo(zone)).isoformat()
            claim = {"subject": subject, "predicate": "p", "value": start.isoformat(), "valid_from": local}
            await write(core, alice, content=start.isoformat(), facts=[claim])
        series = (await facts(core, alice, subject=subject, range={"from": starts[0]})).facts
        assert [fact.value for fact in series] == [start.isoformat() for start in starts]
        assert [fact.valid_to for fact in series] == [*starts[1:], None]
        for start in starts:
            at = start.astimezone(ZoneInfo(zone)).isoformat()
            assert await values(core, alice, subject=subject, as_of={"valid_at": at}) == [start.isoformat()]


@pytest.mark.parametrize("zone", CHANGES)
async def test_a_recurrence_keeps_its_utc_time_of_day_across_a_change(
    core: Core, alice: Person, clock: Clock, zone: str
) -> None:
    due = (CHANGES[zone][-1] - timedelta(days=10)).astimezone(ZoneInfo(zone))
    clock.now = due.astimezone(UTC) - timedelta(hours=1)
    promise = await write(
        core, alice, memory_type="commitment", due_at=due.isoformat(), recurrence="FREQ=WEEKLY;BYDAY=MO,WE,FR,SU"
    )
    instants = [due.astimezone(UTC)]
    for _ in range(9):
        answer = await settle(core, alice, promise.memory.id, due_at=instants[-1])
        assert answer.next_due_at is not None
        instants.append(answer.next_due_at)
    assert {instant.timetz() for instant in instants} == {instants[0].timetz()}
    assert instants == sorted(set(instants))
    assert {instant.weekday() for instant in instants[1:]} <= {0, 2, 4, 6}
    assert (await obligation(core, alice, promise.commitment_id))["due_at"] == instants[-1]


async def test_a_due_instant_keeps_its_microseconds_through_its_occurrences(
    core: Core, alice: Person, clock: Clock
) -> None:
    due = day(6) + 123_456 * MICROSECOND
    clock.now = day(5)
    promise = await write(core, alice, memory_type="commitment", due_at=due, recurrence="FREQ=DAILY;INTERVAL=2")
    assert (await settle(core, alice, promise.memory.id)).next_due_at == due + timedelta(days=2)


async def test_at_the_end_of_a_validity_the_old_is_out_and_the_new_is_in(
    core: Core, alice: Person, clock: Clock
) -> None:
    first = await write(core, alice)
    clock.now = day(5)
    second = await correct(core, alice, first.memory.id)
    third = await correct(core, alice, second.memory.id, content="a third")
    switch = (await read(core, alice, second.memory.id)).valid_from
    assert (await read(core, alice, first.memory.id)).valid_to == switch
    for instant, held in ((switch - MICROSECOND, first), (switch, second)):
        assert await ids(core, alice, valid_at=instant) == {held.memory.id}
    last = (await read(core, alice, third.memory.id)).valid_from
    assert await ids(core, alice, valid_at=last, as_known_at=last - MICROSECOND) == {second.memory.id}
    assert await ids(core, alice, valid_at=last, as_known_at=last) == {third.memory.id}


async def test_the_past_stays_as_it_was_known_through_every_kind_of_change(
    core: Core, alice: Person, clock: Clock
) -> None:
    note = await write(core, alice, content="a note")
    blocker = await write(core, alice, memory_type="blocker", content="a blocker")
    both = {note.memory.id, blocker.memory.id}
    expected = []
    for number, change in enumerate((put_away, bring_back)):
        clock.now = day(4 + 3 * number)
        await change(core, alice, note.memory.id)
        await settle(core, alice, blocker.memory.id, "open" if number else "resolved")
        clock.advance(hours=1)
        expected.append((clock(), both if number else {note.memory.id}))
    clock.now = day(20)
    await correct(core, alice, note.memory.id)
    for known_at, held in expected:
        assert await ids(core, alice, valid_at=known_at, as_known_at=known_at) == held
    reopened = expected[0][0]
    assert await ids(core, alice, valid_at=reopened) == both


async def test_supersession_is_judged_at_the_point_in_time(core: Core, alice: Person, clock: Clock) -> None:
    first = await write(core, alice, content="the office is in Paris")
    known = clock()
    clock.now = day(5)
    await correct(core, alice, first.memory.id, content="the office is in Rome")
    for as_of, superseded in (({"as_known_at": known}, False), ({"as_known_at": day(9)}, True)):
        found = await find(core, alice, "office Paris", as_of=as_of)
        assert {hit.id: hit.superseded for hit in found.hits}[first.memory.id] is superseded


async def test_equal_microseconds_page_without_loss(core: Core, alice: Person, clock: Clock) -> None:
    still = Core(core.database, None, core.cursors, lambda: day(4))
    written = [(await write(still, alice, content=f"tie {number}", scope="work")).memory.id for number in range(9)]
    walked, cursor = [], None
    while True:
        page = await find(still, alice, order="chronological", scope="work", limit=2, cursor=cursor)
        walked += [hit.id for hit in page.hits]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert sorted(walked) == sorted(written)
    assert {hit.recorded_at for hit in page.hits} == {day(4)}


async def test_changes_at_one_instant_are_kept_apart_on_record(core: Core, alice: Person) -> None:
    still = Core(core.database, None, core.cursors, lambda: day(4))
    note = await write(still, alice)
    for change in (put_away, bring_back, put_away, bring_back):
        await change(still, alice, note.memory.id)
    versions = await rows(
        core,
        alice,
        "SELECT recorded_from, recorded_to, status FROM memory_lifetimes WHERE memory_id = %(id)s ORDER BY version",
        id=note.memory.id,
    )
    instants = [day(4) + number * MICROSECOND for number in range(5)]
    assert [row["recorded_from"] for row in versions] == instants
    assert [row["recorded_to"] for row in versions] == [*instants[1:], None]
    assert [row["status"] for row in versions] == ["active", "archived", "active", "archived", "active"]


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        (GetFactsInput, '{"asOf": {"validAt": "%s"}}'),
        (GetFactsInput, '{"range": {"to": "%s"}}'),
        (SearchInput, '{"query": "q", "recordedAfter": "%s"}'),
        (RememberInput, '{"memoryType": "commitment", "topic": "t", "content": "c", "dueAt": "%s"}'),
        (
            ReviseInput,
            '{"predecessorId": "0190d3a8-7c2e-7000-8000-000000000000", "memoryType": "note", "topic": "t",'
            ' "content": "c", "facts": [{"subject": "s", "predicate": "p", "value": "v", "validFrom": "%s"}]}',
        ),
    ],
)
@pytest.mark.parametrize(
    "instant",
    ["2026-03-04T09:00:00", "2026-03-04", "2026-03-04T09:00:00.1234567Z", "2026-02-30T09:00:00Z", "1772614800"],
)
def test_an_instant_without_offset_or_with_lost_precision_is_refused(
    model: type[GetFactsInput], arguments: str, instant: str
) -> None:
    with pytest.raises(ValidationError):
        model.parse(arguments % instant)
