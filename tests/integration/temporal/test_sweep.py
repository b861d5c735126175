"""The sweep: what is due surfaces, what is long overdue expires, what recurs goes on; twice is harmless."""

from datetime import timedelta
from uuid import UUID

from tests.conftest import Clock
from tests.integration.core.writing import correct, day, history, obligation, put_away, rows, settle, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.commitments import mark_due
from threengram.core.commitments.sweep import Marked
from threengram.core.db.statement import Statement

NOTHING = Marked(surfaced=0, expired=0, advanced=0, is_full=False)


async def sweep(core: Core, person: Person, *, grace: timedelta = timedelta(days=14)) -> Marked:
    return await mark_due(core.database, person.principal.tenant_id, now=core.clock(), grace=grace)


async def promise(core: Core, person: Person, **fields: object) -> tuple[UUID, UUID]:
    written = await write(core, person, memory_type="commitment", **fields)
    assert written.commitment_id is not None
    return written.memory.id, written.commitment_id


async def test_what_is_due_surfaces_once_a_day(core: Core, alice: Person, clock: Clock) -> None:
    _, commitment_id = await promise(core, alice, due_at=day(6))
    clock.now = day(5)
    assert await sweep(core, alice) == NOTHING
    for number in (6, 7, 9):
        clock.now = day(number)
        assert (await sweep(core, alice)).surfaced == 1
        assert await sweep(core, alice) == NOTHING
        stored = await obligation(core, alice, commitment_id)
        assert stored["status"] == "open"
        assert stored["surfaced_at"].date() == day(number).date()
        assert stored["next_surfacing_at"] == day(number + 1)


async def test_what_is_overdue_beyond_its_grace_expires(core: Core, alice: Person, clock: Clock) -> None:
    memory_id, commitment_id = await promise(core, alice, due_at=day(6))
    clock.now = day(20)
    await sweep(core, alice)
    assert (await obligation(core, alice, commitment_id))["status"] == "expired"
    assert await sweep(core, alice) == NOTHING
    actors = await rows(
        core, alice, "SELECT event_kind, actor_kind FROM memory_events WHERE memory_id = %(id)s", id=memory_id
    )
    assert {(row["event_kind"], row["actor_kind"]) for row in actors} == {("create", "user_mcp"), ("expire", "worker")}
    await settle(core, alice, memory_id, "open")
    assert (await obligation(core, alice, commitment_id))["status"] == "open"


async def test_the_grace_ends_at_its_very_instant(core: Core, alice: Person, clock: Clock) -> None:
    await promise(core, alice, due_at=day(6))
    clock.now = day(6) + timedelta(days=3) - timedelta(microseconds=1)
    assert (await sweep(core, alice, grace=timedelta(days=3))).expired == 0
    assert (await sweep(core, alice, grace=timedelta(days=3))).expired == 1


async def test_without_grace_a_commitment_expires_when_it_is_due(core: Core, alice: Person, clock: Clock) -> None:
    await promise(core, alice, due_at=day(6))
    clock.now = day(6)
    assert (await sweep(core, alice, grace=timedelta(0))).expired == 1


async def test_a_missed_occurrence_gives_way_to_the_one_that_is_due_now(
    core: Core, alice: Person, clock: Clock
) -> None:
    memory_id, commitment_id = await promise(core, alice, due_at=day(6), recurrence="FREQ=WEEKLY")
    clock.now = day(27) + timedelta(hours=3)
    assert await sweep(core, alice) == Marked(surfaced=1, expired=0, advanced=1, is_full=False)
    stored = await obligation(core, alice, commitment_id)
    assert (stored["status"], stored["due_at"], stored["next_surfacing_at"]) == ("open", day(27), day(28))
    kind, details = (await history(core, alice, memory_id))[-1]
    assert (kind, details["to"], details["dueAt"]) == ("expire", "expired", "2026-03-06T09:00:00Z")
    assert details["nextDueAt"] == "2026-03-27T09:00:00Z"
    assert (await settle(core, alice, memory_id)).next_due_at == day(34)


async def test_a_rare_occurrence_expires_after_its_grace_and_the_next_one_opens(
    core: Core, alice: Person, clock: Clock
) -> None:
    _, commitment_id = await promise(core, alice, due_at=day(6), recurrence="FREQ=YEARLY")
    clock.now = day(21)
    assert await sweep(core, alice) == Marked(surfaced=0, expired=0, advanced=1, is_full=False)
    stored = await obligation(core, alice, commitment_id)
    assert (stored["status"], stored["due_at"]) == ("open", day(6).replace(year=2027))


async def test_a_series_that_has_ended_expires_with_its_last_occurrence(
    core: Core, alice: Person, clock: Clock
) -> None:
    _, commitment_id = await promise(core, alice, due_at=day(6), recurrence="FREQ=DAILY;UNTIL=20260308")
    clock.now = day(30)
    assert (await sweep(core, alice)).advanced == 1
    assert (await obligation(core, alice, commitment_id))["due_at"] == day(8)
    assert (await sweep(core, alice)).expired == 1


async def test_what_is_put_away_superseded_or_settled_is_left_alone(core: Core, alice: Person, clock: Clock) -> None:
    archived, _ = await promise(core, alice, content="archived", due_at=day(6))
    await put_away(core, alice, archived)
    demoted, _ = await promise(core, alice, content="demoted", due_at=day(6))
    await correct(core, alice, demoted)
    done, _ = await promise(core, alice, content="done", due_at=day(6))
    await settle(core, alice, done)
    await promise(core, alice, content="never due")
    clock.now = day(30)
    assert await sweep(core, alice) == NOTHING


async def test_other_tenants_are_not_touched(core: Core, alice: Person, bob: Person, clock: Clock) -> None:
    _, commitment_id = await promise(core, alice, due_at=day(6))
    clock.now = day(30)
    assert await sweep(core, bob) == NOTHING
    assert (await obligation(core, alice, commitment_id))["status"] == "open"


async def test_a_memory_that_somebody_holds_is_left_for_the_next_sweep(core: Core, alice: Person, clock: Clock) -> None:
    memory_id, _ = await promise(core, alice, due_at=day(6))
    clock.now = day(6)
    held = Statement("test", "SELECT FROM memories WHERE id = %(memory_id)s FOR NO KEY UPDATE")
    async with core.database.tenant(alice.principal) as tx:
        await tx.fetch(held, {"memory_id": memory_id})
        assert (await sweep(core, alice)).surfaced == 0
    assert (await sweep(core, alice)).surfaced == 1


async def test_a_full_batch_says_that_more_may_be_due(core: Core, alice: Person, clock: Clock) -> None:
    lexical_only = Core(core.database, None, core.cursors, core.clock)
    for number in range(101):
        await promise(lexical_only, alice, content=f"promise {number}", due_at=day(6))
    clock.now = day(6)
    assert await sweep(core, alice) == Marked(surfaced=100, expired=0, advanced=0, is_full=True)
    assert await sweep(core, alice) == Marked(surfaced=1, expired=0, advanced=0, is_full=False)
