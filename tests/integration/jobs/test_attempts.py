"""One run: claimed by one worker, kept while it works, ended on record; whatever goes wrong, it goes on or is dead."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

import pytest

from tests.conftest import Clock
from tests.integration.jobs.working import LEASE_S, Workshop, never, nothing, raising
from tests.people import Person
from tests.waiting import eventually
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.core.errors import Conflict, NotFound, Unavailable
from threengram.core.ids import new_id
from threengram.core.jobs import queue
from threengram.core.jobs.backoff import MAX_BACKOFF_S, after_failure
from threengram.core.jobs.job import JobContext
from threengram.core.jobs.runs import DEAD, cancel_run, list_runs, retry_run, show_run
from threengram.schema.enums import JobOutcome, JobState

SHORT_LEASE_S = 0.15
ENDLESS = Statement("test_endless", "SELECT count(*) FROM generate_series(1, 1000000000000)")


@pytest.fixture
async def hasty(database_url: str) -> AsyncIterator[Database]:
    """Whose statements may take half a second."""
    async with Database(database_url, pool_max=2, statement_timeout_ms=500) as database:
        yield database


async def test_a_run_that_succeeds_is_done_with_its_counts(database: Database, clock: Clock, alice: Person) -> None:
    async def count(context: JobContext) -> bool:
        context.counts["updated"] += 3
        assert context.principal.tenant_id == alice.principal.tenant_id
        return False

    shop = Workshop(database, clock, count)
    run_id = await shop.enqueue(alice.principal.tenant_id)
    assert [one.outcome for one in await shop.drain()] == [JobOutcome.OK]
    run = await shop.run()
    assert (run.id, run.state, run.attempts, run.counts) == (run_id, JobState.DONE, 1, {"updated": 3})
    assert run.finished_at is not None


async def test_one_run_of_a_kind_and_tenant_is_live_at_a_time(database: Database, clock: Clock, alice: Person) -> None:
    shop = Workshop(database, clock, nothing)
    assert await shop.enqueue(alice.principal.tenant_id) is not None
    assert await shop.enqueue(alice.principal.tenant_id) is None
    assert await shop.enqueue() is not None
    assert await shop.enqueue() is None
    assert len(await shop.drain()) == 2
    assert await shop.enqueue(alice.principal.tenant_id) is not None


async def test_each_of_many_runs_is_carried_out_by_one_of_many_executors(database: Database, clock: Clock) -> None:
    done: list[str] = []

    async def note(context: JobContext) -> bool:
        done.append(str(context.run.id))
        await asyncio.sleep(0)
        return False

    shop = Workshop(database, clock, note)
    for _ in range(20):
        await shop.enqueue()
        await asyncio.gather(*(shop.attempt() for _ in range(4)))
    assert len(done) == len(set(done)) == 20


async def test_what_has_more_left_goes_back_to_its_queue_with_fresh_attempts(database: Database, clock: Clock) -> None:
    async def thrice(context: JobContext) -> bool:
        context.counts["processed"] += 1
        return context.counts["processed"] < 3

    shop = Workshop(database, clock, thrice, options={"attempts": 1})
    await shop.enqueue()
    assert [one.outcome for one in await shop.drain()] == [JobOutcome.AGAIN, JobOutcome.AGAIN, JobOutcome.OK]
    assert (await shop.run()).counts == {"processed": 3}


async def test_a_failure_is_tried_again_later_and_is_dead_in_the_end(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, raising(ValueError("the words of a memory")), options={"attempts": 3})
    await shop.enqueue()
    for _ in range(2):
        (ended,) = await shop.drain()
        assert (ended.outcome, ended.error_class) == (JobOutcome.RETRY, "ValueError")
        assert (await shop.run()).scheduled_at > clock.now
        clock.advance(seconds=MAX_BACKOFF_S)
    (ended,) = await shop.drain()
    assert ended.outcome is JobOutcome.FAILED
    (dead,) = await list_runs(database, kind=shop.name, states=DEAD)
    assert (dead.attempts, dead.error_class) == (3, "ValueError")
    clock.advance(days=30)
    assert await shop.drain() == []


def test_waits_grow_between_bounds() -> None:
    waits = [after_failure(attempts, 1.0).total_seconds() for attempts in range(1, 40)]
    assert waits == sorted(waits)
    assert max(waits) == MAX_BACKOFF_S
    assert after_failure(1, 0.0) * 2 == after_failure(1, 1.0)


async def test_an_outage_of_what_a_job_needs_is_no_attempt(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, raising(Unavailable("away")), options={"attempts": 1})
    await shop.enqueue()
    for _ in range(5):
        (ended,) = await shop.drain()
        assert ended.outcome is JobOutcome.RELEASED
        clock.advance(seconds=60)
    shop.work = nothing
    assert [one.outcome for one in await shop.drain()] == [JobOutcome.OK]


async def test_a_statement_that_takes_too_long_every_time_is_the_runs_own_failure(
    database: Database, hasty: Database, clock: Clock
) -> None:
    async def dawdle(_context: JobContext) -> bool:
        async with hasty.system() as tx:
            await tx.fetch_last(ENDLESS)
        return False

    shop = Workshop(database, clock, dawdle, options={"attempts": 2})
    await shop.enqueue()
    (ended,) = await shop.drain()
    assert (ended.outcome, ended.error_class) == (JobOutcome.RETRY, "TookTooLong")
    clock.advance(seconds=MAX_BACKOFF_S)
    assert [one.outcome for one in await shop.drain()] == [JobOutcome.FAILED]
    assert [run.attempts for run in await list_runs(database, kind=shop.name, states=DEAD)] == [2]


async def test_a_dead_run_lives_again_when_somebody_retries_it(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, raising(ValueError()), options={"attempts": 1})
    run_id = await shop.enqueue()
    assert run_id is not None
    await shop.drain()
    await retry_run(database, run_id, now=clock())
    with pytest.raises(Conflict):
        await retry_run(database, run_id, now=clock())
    shop.work = nothing
    assert [one.outcome for one in await shop.drain()] == [JobOutcome.OK]


async def test_a_dead_run_stays_dead_beside_a_live_one(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, raising(ValueError()), options={"attempts": 1})
    run_id = await shop.enqueue()
    assert run_id is not None
    await shop.drain()
    await shop.enqueue()
    with pytest.raises(Conflict):
        await retry_run(database, run_id, now=clock())


async def test_another_worker_takes_over_at_the_end_of_a_production_lease(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, nothing)
    await shop.enqueue()
    assert await queue.claim(database, shop.name, [shop.name], now=clock(), lease_s=LEASE_S) is not None
    clock.advance(seconds=LEASE_S - 0.01)
    assert await shop.attempt() is None
    clock.advance(seconds=0.02)
    (ended,) = await shop.drain()
    assert (ended.outcome, ended.run.attempts) == (JobOutcome.OK, 2)


async def test_a_run_that_ends_its_worker_every_time_is_dead_after_its_attempts(
    database: Database, clock: Clock
) -> None:
    shop = Workshop(database, clock, nothing, options={"attempts": 3})
    await shop.enqueue()
    for _ in range(3):
        assert await queue.claim(database, shop.name, [shop.name], now=clock(), lease_s=LEASE_S) is not None
        clock.advance(seconds=LEASE_S + 1)
    (ended,) = await shop.drain()
    assert (ended.outcome, ended.error_class) == (JobOutcome.FAILED, "LeaseEnded")


async def test_a_worker_that_lost_its_lease_can_neither_keep_nor_end_the_run(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, nothing)
    await shop.enqueue()
    lost = await queue.claim(database, shop.name, [shop.name], now=clock(), lease_s=LEASE_S)
    assert lost is not None
    clock.advance(seconds=LEASE_S + 1)
    successor = await queue.claim(database, shop.name, [shop.name], now=clock(), lease_s=LEASE_S)
    assert successor is not None
    context = JobContext(database, clock, lost)
    with pytest.raises(queue.LeaseLost):
        await queue.heartbeat(context, lease_s=LEASE_S)
    with pytest.raises(queue.LeaseLost):
        await queue.end(context, JobState.DONE, JobOutcome.OK, attempts=1)
    assert (await shop.run()).state is JobState.RUNNING


async def test_a_long_run_keeps_its_lease(database: Database, clock: Clock) -> None:
    may_end = asyncio.Event()

    async def wait(_context: JobContext) -> bool:
        await may_end.wait()
        return False

    shop = Workshop(database, clock, wait, lease_s=SHORT_LEASE_S)
    await shop.enqueue()
    working = asyncio.create_task(shop.attempt())
    await eventually(shop.is_running)
    for _ in range(3):
        clock.advance(seconds=0.9 * SHORT_LEASE_S)
        await eventually(partial(shop.has_beaten_since, clock.now))
        assert await replace(shop, work=nothing).attempt() is None
    may_end.set()
    ended = await working
    assert ended is not None
    assert (ended.outcome, ended.run.attempts) == (JobOutcome.OK, 1)


async def test_a_waiting_run_that_is_cancelled_never_begins(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, never)
    run_id = await shop.enqueue()
    assert run_id is not None
    assert await cancel_run(database, run_id, now=clock()) is JobState.CANCELLED
    assert await shop.drain() == []
    with pytest.raises(Conflict):
        await cancel_run(database, run_id, now=clock())
    with pytest.raises(NotFound):
        await cancel_run(database, new_id(), now=clock())


async def test_a_running_run_that_is_cancelled_ends_at_its_next_heartbeat(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, never, lease_s=SHORT_LEASE_S)
    run_id = await shop.enqueue()
    assert run_id is not None
    working = asyncio.create_task(shop.attempt())
    await eventually(shop.is_running)
    assert await cancel_run(database, run_id, now=clock()) is JobState.RUNNING
    ended = await asyncio.wait_for(working, 60)
    assert ended is not None
    assert ended.outcome is JobOutcome.CANCELLED
    assert (await show_run(database, run_id)).state is JobState.CANCELLED


async def test_a_run_past_its_time_limit_has_failed(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, never, options={"attempts": 1, "time_limit_s": 0.05})
    await shop.enqueue()
    (ended,) = await shop.drain()
    assert (ended.outcome, ended.error_class) == (JobOutcome.FAILED, "TimeoutError")


async def test_a_worker_that_is_stopped_gives_its_run_back_at_once(database: Database, clock: Clock) -> None:
    shop = Workshop(database, clock, never, options={"attempts": 1})
    await shop.enqueue()
    working = asyncio.create_task(shop.attempt())
    await eventually(shop.is_running)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert ((await shop.run()).state, (await shop.run()).attempts) == (JobState.QUEUED, 0)
    shop.work = nothing
    assert [one.outcome for one in await shop.drain()] == [JobOutcome.OK]
