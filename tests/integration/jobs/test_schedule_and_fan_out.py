"""Cadences and fan-out: one run a slot whoever keeps the schedule, one run a tenant, one bad tenant alone with it."""

import asyncio
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from tests.conftest import Clock
from tests.integration.jobs.working import LEASE_S, Workshop, never, nothing, raising
from tests.people import Person, a_person
from tests.waiting import eventually
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.core.jobs.executor import Executor
from threengram.core.jobs.figures import Figures, figures
from threengram.core.jobs.job import Job, JobContext
from threengram.core.jobs.queue import claim, enqueueing
from threengram.core.jobs.schedule import enqueue_due, slot_of
from threengram.core.jobs.tenants import active_tenants
from threengram.schema.enums import JobOutcome, JobState

HOUR_S = 3_600.0


async def test_a_slot_has_one_run_however_many_beats_there_are(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, nothing, options={"cadence_s": HOUR_S})
    made = await asyncio.gather(*(enqueue_due(database, [shop.job], now=clock()) for _ in range(6)))
    assert sum(made) == 1
    assert len(await shop.drain()) == 1
    assert await enqueue_due(database, [shop.job], now=clock()) == 0
    clock.advance(seconds=HOUR_S)
    assert await enqueue_due(database, [shop.job], now=clock()) == 1


async def test_a_run_that_overruns_its_slot_holds_the_next_one_back(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, nothing, options={"cadence_s": HOUR_S})
    await enqueue_due(database, [shop.job], now=clock())
    clock.advance(seconds=3 * HOUR_S)
    assert await enqueue_due(database, [shop.job], now=clock()) == 0
    await shop.drain()
    assert await enqueue_due(database, [shop.job], now=clock()) == 1


def test_slots_are_the_same_for_everybody() -> None:
    now = datetime.fromisoformat("2026-03-02T09:41:07+00:00")
    assert slot_of(now, 900) == datetime.fromisoformat("2026-03-02T09:30:00+00:00")
    assert slot_of(now + timedelta(minutes=3), 900) == slot_of(now, 900)
    assert slot_of(now, 86_400) == datetime.fromisoformat("2026-03-02T00:00:00+00:00")


class Town:
    """A few tenants of one test, listed in pages of two."""

    def __init__(self, tenants: list[UUID]) -> None:
        self.tenants = sorted(tenants)

    async def page(self, _database: Database, after: UUID | None, _now: datetime) -> list[UUID]:
        return [tenant for tenant in self.tenants if after is None or tenant > after][:2]


@pytest.fixture
async def town(database: Database, clock: Clock) -> Town:
    return Town([(await a_person(database, now=clock())).principal.tenant_id for _ in range(5)])


async def test_every_listed_tenant_gets_one_run_in_a_slot(database: Database, clock: Clock, town: Town) -> None:
    visited: list[UUID] = []

    async def visit(context: JobContext) -> bool:
        visited.append(context.tenant_id)
        return False

    options = {"cadence_s": HOUR_S, "per_tenant": True, "tenants": town.page}
    shop = Workshop(database, clock, visit, options=options)
    await enqueue_due(database, [shop.job], now=clock())
    await shop.drain()
    assert sorted(visited) == town.tenants
    fan_out = (await shop.record())[-1]
    assert (fan_out.tenant_id, fan_out.counts) == (None, {"tenants": 5, "queued": 5})


async def test_a_fan_out_that_is_killed_half_way_visits_nobody_twice(
    database: Database, clock: Clock, town: Town
) -> None:
    visited: list[UUID] = []
    pages = 0

    async def visit(context: JobContext) -> bool:
        visited.append(context.tenant_id)
        return False

    async def dying(database: Database, after: UUID | None, now: datetime) -> list[UUID]:
        nonlocal pages
        pages += 1
        if pages == 2:
            await asyncio.Event().wait()
        return await town.page(database, after, now)

    options = {"cadence_s": HOUR_S, "per_tenant": True, "tenants": dying}
    shop = Workshop(database, clock, visit, options=options)
    await enqueue_due(database, [shop.job], now=clock())
    first = asyncio.create_task(shop.attempt())
    await eventually(lambda: pages == 2)
    await asyncio.gather(*(shop.attempt() for _ in range(2)))
    assert len(visited) == 2
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await shop.drain()
    assert sorted(visited) == town.tenants


async def test_one_failing_tenant_stops_nobody(database: Database, clock: Clock, town: Town) -> None:
    visited: set[UUID] = set()
    bad, stuck = town.tenants[0], town.tenants[1]
    is_mended = False

    async def visit(context: JobContext) -> bool:
        if context.tenant_id == bad and not is_mended:
            raise ValueError
        if context.tenant_id == stuck and not is_mended:
            return await never(context)
        visited.add(context.tenant_id)
        return False

    options = {"per_tenant": True, "tenants": town.page, "time_limit_s": 5.0, "attempts": 1}
    shop = Workshop(database, clock, visit, options=options)
    await shop.enqueue()
    ended = await shop.drain()
    assert visited == set(town.tenants[2:])
    failed = {one.run.tenant_id: one.error_class for one in ended if one.outcome is JobOutcome.FAILED}
    assert failed == {bad: "ValueError", stuck: "TimeoutError"}
    is_mended = True
    assert await shop.enqueue() is not None
    await shop.drain()
    assert visited == set(town.tenants)


async def test_an_erased_tenant_is_neither_listed_nor_worked_for(
    database: Database, clock: Clock, alice: Person, bob: Person
) -> None:
    shop = Workshop(database, clock, nothing)
    await shop.enqueue(alice.principal.tenant_id)
    async with database.tenant(alice.principal) as tx:
        await tx.fetch_last(Statement("test", "UPDATE tenants SET status = 'erased' WHERE id = %(tenant_id)s"))
    (ended,) = await shop.drain()
    assert (ended.outcome, (await shop.run()).state) == (JobOutcome.SKIPPED, JobState.CANCELLED)
    listed, after = set[UUID](), None
    while page := await active_tenants(database, after, clock()):
        listed |= set(page)
        after = page[-1]
    assert bob.principal.tenant_id in listed
    assert alice.principal.tenant_id not in listed


async def test_a_run_is_enqueued_with_the_write_it_belongs_to_or_not_at_all(
    database: Database, clock: Clock, alice: Person
) -> None:
    shop = Workshop(database, clock, nothing)
    step = enqueueing(shop.name, shop.name, [alice.principal.tenant_id], now=clock())

    async def write_that_fails() -> None:
        async with database.tenant(alice.principal) as tx:
            await tx.run([step])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write_that_fails()
    assert await shop.record() == []
    async with database.tenant(alice.principal) as tx:
        await tx.run([step], commit=True)
    assert (await shop.run()).tenant_id == alice.principal.tenant_id


async def test_a_kind_that_a_worker_does_not_know_is_left_to_one_that_does(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, nothing)
    await shop.enqueue()
    older = Executor(
        database, [Job("another_kind", shop.name, shop.job.run)], None, clock=clock, lease_s=LEASE_S
    )  # fmt: skip
    assert await older.run_next(shop.name) is None
    assert len(await shop.drain()) == 1


async def test_figures_tell_waiting_running_and_dead_apart(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, nothing)

    async def found() -> Figures:
        (one,) = [one for one in await figures(database, now=clock.now) if one.kind == shop.name]
        return one

    tenants = [(await a_person(database, now=clock())).principal.tenant_id for _ in range(2)]
    await shop.enqueue(tenants[0])
    clock.advance(seconds=10)
    await shop.enqueue(tenants[1])
    assert (await found()).waiting == 2
    assert (await found()).oldest_age_s == pytest.approx(10, abs=0.1)
    await claim(database, shop.name, [shop.name], now=clock(), lease_s=LEASE_S)
    assert ((await found()).waiting, (await found()).running) == (1, 1)
    clock.advance(seconds=LEASE_S + 1)
    assert ((await found()).waiting, (await found()).running) == (2, 0)
    await shop.drain()
    shop.options["attempts"] = 1
    shop.work = raising(ValueError())
    await shop.enqueue(tenants[0])
    await shop.drain()
    assert ((await found()).waiting, (await found()).failed) == (0, 1)


async def test_what_does_its_share_and_goes_on_is_not_late(database: Database, clock: Clock) -> None:
    async def share(context: JobContext) -> bool:
        context.counts["pages"] += 1
        return context.counts["pages"] < 2

    shop = Workshop(database, clock, share)
    await shop.enqueue()
    clock.advance(hours=5)
    await shop.attempt()
    clock.advance(seconds=10)
    (waiting,) = [one for one in await figures(database, now=clock.now) if one.kind == shop.name]
    assert waiting.oldest_age_s == pytest.approx(10, abs=0.1)
