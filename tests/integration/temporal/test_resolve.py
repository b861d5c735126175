"""`resolve`: commitments and blockers move on, and a repeated call changes nothing."""

from itertools import product

import pytest

from tests.conftest import Clock
from tests.integration.core.writing import (
    correct,
    day,
    facts,
    find,
    history,
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
from threengram.core.errors import Conflict, InvalidRequest, InvalidTransition, NotFound
from threengram.core.ids import new_id
from threengram.schema.commitments import ResolvableKind
from threengram.schema.enums import CommitmentStatus, MemoryStatus

STATUSES = tuple(CommitmentStatus)
REFUSED = {("resolved", "waiting"), ("resolved", "expired"), ("expired", "waiting"), ("expired", "resolved")}


@pytest.mark.parametrize(("before", "after"), list(product(STATUSES, STATUSES)))
async def test_a_commitment_goes_only_where_the_matrix_lets_it(
    core: Core, alice: Person, before: CommitmentStatus, after: CommitmentStatus
) -> None:
    promise = await write(core, alice, memory_type="commitment")
    await settle(core, alice, promise.memory.id, before)
    events = await history(core, alice, promise.memory.id)
    if (before, after) in REFUSED:
        with pytest.raises(InvalidTransition):
            await settle(core, alice, promise.memory.id, after)
        return
    answer = await settle(core, alice, promise.memory.id, after)
    assert (answer.kind, answer.status) == (ResolvableKind.COMMITMENT, after)
    assert (answer.memory_id, answer.commitment_id) == (promise.memory.id, promise.commitment_id)
    stored = await obligation(core, alice, promise.commitment_id)
    assert (stored["status"], stored["resolved_at"] is not None) == (after, after == "resolved")
    written = len(await history(core, alice, promise.memory.id)) - len(events)
    assert written == (0 if before is after else 1)


async def test_the_database_refuses_what_the_matrix_refuses(core: Core, alice: Person) -> None:
    for before, after in REFUSED:
        promise = await write(core, alice, memory_type="commitment", content=f"from {before} to {after}")
        await settle(core, alice, promise.memory.id, before)
        with pytest.raises(Exception, match="commitment_transition"):
            await rows(
                core,
                alice,
                "UPDATE commitments SET status = %(after)s WHERE id = %(id)s",
                after=after,
                id=promise.commitment_id,
            )


async def test_events_say_from_what_to_what(core: Core, alice: Person) -> None:
    promise = await write(core, alice, memory_type="commitment", due_at=day(6))
    for status in ("waiting", "resolved", "open", "expired"):
        await settle(core, alice, promise.memory.id, status)
    _, *moved = await history(core, alice, promise.memory.id)
    common = {"commitmentId": str(promise.commitment_id), "dueAt": "2026-03-06T09:00:00Z"}
    assert moved == [
        ("revise", {**common, "from": "open", "to": "waiting"}),
        ("resolve", {**common, "from": "waiting", "to": "resolved"}),
        ("unresolve", {**common, "from": "resolved", "to": "open"}),
        ("expire", {**common, "from": "open", "to": "expired"}),
    ]


async def test_what_cannot_be_resolved_does_not_exist_here(core: Core, alice: Person, bob: Person) -> None:
    note = await write(core, alice)
    promise = await write(core, alice, memory_type="commitment", content="old words")
    renewed = await correct(core, alice, promise.memory.id, memory_type="commitment", content="new words")
    blocker = await write(core, alice, memory_type="blocker", content="in the way")
    still = await correct(core, alice, blocker.memory.id, memory_type="blocker", content="still in the way")
    taken_over = "; this memory is superseded by {}: resolve that one"
    for person, memory_id, hint in (
        (alice, note.memory.id, "; this memory is a note"),
        (alice, promise.memory.id, taken_over.format(renewed.memory.id)),
        (alice, blocker.memory.id, taken_over.format(still.memory.id)),
        (alice, new_id(), ""),
        (bob, note.memory.id, ""),
        (bob, promise.memory.id, ""),
        (bob, blocker.memory.id, ""),
    ):
        with pytest.raises(NotFound) as refused:
            await settle(core, person, memory_id)
        assert refused.value.subject_id == str(memory_id)
        assert str(refused.value) == "no such commitment or blocker" + hint


async def test_a_resolved_blocker_is_archived_and_found_only_as_such(core: Core, alice: Person, clock: Clock) -> None:
    blocker = await write(core, alice, memory_type="blocker", content="the certificate has expired")
    clock.advance(days=1)
    for wanted in ("resolved", "resolved", "expired"):
        answer = await settle(core, alice, blocker.memory.id, wanted)
        assert (answer.kind, answer.status, answer.commitment_id) == (ResolvableKind.BLOCKER, "resolved", None)
    stored = await read(core, alice, blocker.memory.id)
    assert stored.status is MemoryStatus.ARCHIVED
    assert stored.valid_to is not None
    assert (await find(core, alice, "certificate")).hits == []
    assert [hit.id for hit in (await find(core, alice, "certificate", status="archived")).hits] == [blocker.memory.id]
    assert [kind for kind, _ in await history(core, alice, blocker.memory.id)] == ["create", "resolve"]


async def test_a_blocker_opens_again_with_its_facts_and_its_past_stays(core: Core, alice: Person, clock: Clock) -> None:
    outage = {"subject": "login", "predicate": "errors.percent", "value": "40"}
    blocker = await write(core, alice, memory_type="blocker", facts=[outage])
    clock.advance(days=1)
    await settle(core, alice, blocker.memory.id)
    resolved = clock()
    assert await values(core, alice, subject="login") == []
    clock.advance(days=1)
    for _ in range(2):
        assert (await settle(core, alice, blocker.memory.id, "open")).status == "open"
    stored = await read(core, alice, blocker.memory.id)
    assert (stored.status, stored.valid_to) == (MemoryStatus.ACTIVE, None)
    assert await values(core, alice, subject="login") == ["40"]
    assert await values(core, alice, subject="login", as_of={"as_known_at": resolved}) == []
    assert await values(core, alice, subject="login", as_of={"valid_at": resolved}) == ["40"]
    with pytest.raises(InvalidTransition, match="a blocker cannot go from open to waiting"):
        await settle(core, alice, blocker.memory.id, "waiting")
    with pytest.raises(InvalidRequest) as refused:
        await settle(core, alice, blocker.memory.id, "open", due_at=day(9))
    assert refused.value.field == "dueAt"


async def test_opening_a_blocker_again_conflicts_with_live_memory_that_says_the_same(core: Core, alice: Person) -> None:
    blocker = await write(core, alice, memory_type="blocker")
    await settle(core, alice, blocker.memory.id)
    twin = await write(core, alice, memory_type="blocker")
    with pytest.raises(Conflict) as refused:
        await settle(core, alice, blocker.memory.id, "open")
    assert (refused.value.code, refused.value.subject_id) == ("conflict", str(twin.memory.id))


async def test_a_resolved_blocker_is_not_revised(core: Core, alice: Person) -> None:
    blocker = await write(core, alice, memory_type="blocker")
    await settle(core, alice, blocker.memory.id)
    with pytest.raises(Conflict):
        await correct(core, alice, blocker.memory.id)


async def test_a_revised_commitment_keeps_its_id_and_what_is_not_given(core: Core, alice: Person) -> None:
    promise = await write(core, alice, memory_type="commitment", due_at=day(6), owner="Ada", recurrence="FREQ=WEEKLY")
    await settle(core, alice, promise.memory.id, "waiting")
    moved = await correct(core, alice, promise.memory.id, memory_type="commitment", owner="Grace")
    stored = await obligation(core, alice, promise.commitment_id)
    assert moved.commitment_id == promise.commitment_id
    assert (stored["memory_id"], stored["status"], stored["owner"]) == (moved.memory.id, "waiting", "Grace")
    assert (stored["due_at"], stored["recurrence"]) == (day(6), "FREQ=WEEKLY")
    again = await correct(core, alice, moved.memory.id, memory_type="commitment", content="third", due_at=day(8))
    stored = await obligation(core, alice, again.commitment_id)
    assert (stored["due_at"], stored["next_surfacing_at"]) == (day(8), day(8))


async def test_a_commitment_revised_into_something_else_is_resolved(core: Core, alice: Person) -> None:
    promise = await write(core, alice, memory_type="commitment")
    note = await correct(core, alice, promise.memory.id)
    assert note.commitment_id is None
    assert (await obligation(core, alice, promise.commitment_id))["status"] == "resolved"
    assert [kind for kind, _ in await history(core, alice, promise.memory.id)] == ["create", "supersede", "resolve"]


async def test_something_revised_into_a_commitment_opens_one(core: Core, alice: Person) -> None:
    note = await write(core, alice)
    promise = await correct(core, alice, note.memory.id, memory_type="commitment", due_at=day(6))
    stored = await obligation(core, alice, promise.commitment_id)
    assert (stored["memory_id"], stored["status"], stored["due_at"]) == (promise.memory.id, "open", day(6))
    other = await write(core, alice, content="another")
    with pytest.raises(InvalidRequest) as refused:
        await correct(core, alice, other.memory.id, memory_type="commitment", recurrence="FREQ=DAILY", content="x")
    assert refused.value.field == "recurrence"


async def test_a_recurring_commitment_goes_on_with_its_next_occurrence(core: Core, alice: Person, clock: Clock) -> None:
    promise = await write(core, alice, memory_type="commitment", due_at=day(6), recurrence="FREQ=WEEKLY")
    clock.now = day(5)
    answer = await settle(core, alice, promise.memory.id)
    assert (answer.status, answer.next_due_at) == ("resolved", day(13))
    stored = await obligation(core, alice, promise.commitment_id)
    assert (stored["status"], stored["due_at"], stored["memory_id"]) == ("open", day(13), promise.memory.id)
    assert (await history(core, alice, promise.memory.id))[-1] == (
        "resolve",
        {
            "commitmentId": str(promise.commitment_id),
            "from": "open",
            "to": "resolved",
            "dueAt": "2026-03-06T09:00:00Z",
            "nextDueAt": "2026-03-13T09:00:00Z",
        },
    )


async def test_repeating_a_call_never_settles_the_occurrence_to_come(core: Core, alice: Person, clock: Clock) -> None:
    promise = await write(core, alice, memory_type="commitment", due_at=day(6), recurrence="FREQ=WEEKLY")
    for now, due in ((day(7), day(13)), (day(7, hour=18), day(13)), (day(12), day(20)), (day(16), day(20))):
        clock.now = now
        answer = await settle(core, alice, promise.memory.id)
        assert (answer.status, answer.next_due_at) == ("resolved", due)
        assert (await obligation(core, alice, promise.commitment_id))["due_at"] == due


async def test_the_occurrence_that_is_meant_can_be_named(core: Core, alice: Person, clock: Clock) -> None:
    promise = await write(core, alice, memory_type="commitment", due_at=day(6), recurrence="FREQ=WEEKLY")
    clock.now = day(7)
    for due, next_due in ((day(6), day(13)), (day(6), day(13)), (day(13), day(20))):
        answer = await settle(core, alice, promise.memory.id, due_at=due)
        assert answer.next_due_at == next_due
    with pytest.raises(InvalidRequest) as refused:
        await settle(core, alice, promise.memory.id, due_at=day(6))
    assert refused.value.field == "dueAt"


async def test_an_occurrence_resolved_by_mistake_is_opened_again(core: Core, alice: Person, clock: Clock) -> None:
    promise = await write(core, alice, memory_type="commitment", due_at=day(6), recurrence="FREQ=WEEKLY")
    clock.now = day(7)
    await settle(core, alice, promise.memory.id)
    for _ in range(2):
        assert (await settle(core, alice, promise.memory.id, "open")).status == "open"
        stored = await obligation(core, alice, promise.commitment_id)
        assert (stored["status"], stored["due_at"]) == ("open", day(6))
    assert (await settle(core, alice, promise.memory.id)).next_due_at == day(13)


async def test_a_series_ends_with_its_rule_or_when_it_is_given_up(core: Core, alice: Person, clock: Clock) -> None:
    counted = await write(
        core, alice, memory_type="commitment", content="twice", due_at=day(6), recurrence="FREQ=WEEKLY;COUNT=2"
    )
    clock.now = day(6)
    assert (await settle(core, alice, counted.memory.id)).next_due_at == day(13)
    clock.now = day(13)
    assert (await settle(core, alice, counted.memory.id)).next_due_at is None
    assert (await obligation(core, alice, counted.commitment_id))["status"] == "resolved"
    endless = await write(
        core, alice, memory_type="commitment", content="for ever", due_at=day(20), recurrence="FREQ=DAILY"
    )
    assert (await settle(core, alice, endless.memory.id, "expired")).next_due_at is None
    assert (await obligation(core, alice, endless.commitment_id))["status"] == "expired"


@pytest.mark.parametrize(
    "rule",
    ["every week", "FREQ=SECONDLY", "FREQ=DAILY;BYHOUR=1,2,3", "FREQ=DAILY;COUNT=2;UNTIL=20270101", "INTERVAL=2",
     "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY\nRDATE:20260101T000000Z", "FREQ=WEEKLY;BYDAY=XX"],
)  # fmt: skip
async def test_a_rule_that_is_not_supported_is_refused(core: Core, alice: Person, rule: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        await write(core, alice, memory_type="commitment", due_at=day(6), recurrence=rule)
    assert refused.value.field == "recurrence"


async def test_a_commitment_that_was_put_away_can_still_be_settled(core: Core, alice: Person) -> None:
    promise = await write(core, alice, memory_type="commitment")
    await put_away(core, alice, promise.memory.id)
    assert (await settle(core, alice, promise.memory.id)).status == "resolved"


async def test_facts_of_a_resolved_blocker_are_not_counted_as_valid(core: Core, alice: Person) -> None:
    blocker = await write(
        core, alice, memory_type="blocker", facts=[{"subject": "disk", "predicate": "used.percent", "value": "99"}]
    )
    assert (await facts(core, alice)).count == 1
    await settle(core, alice, blocker.memory.id)
    assert (await facts(core, alice)).count == 0
