"""What has ended is taken away after a while; what still stands, or may still be asked about, stays."""

from collections import Counter
from datetime import timedelta

from tests.conftest import Clock
from tests.integration.core.writing import rows
from tests.integration.jobs.working import Workshop, nothing, raising
from tests.people import Person, a_person
from threengram.core.call import Core
from threengram.core.ids import new_id
from threengram.core.jobs.executor import Ended
from threengram.core.jobs.job import JobContext
from threengram.core.upkeep import Retention, purge
from threengram.core.usage import begin_call, spent
from threengram.schema.enums import MeteredOperation

RETENTION = Retention(runs=timedelta(days=7), failed_runs=timedelta(days=30))


async def purged(core: Core, clock: Clock) -> Counter[str]:
    async def work(context: JobContext) -> bool:
        return await purge(context, RETENTION)

    shop = Workshop(core.database, clock, work)
    await shop.enqueue()
    (ended,) = await shop.drain()
    assert isinstance(ended, Ended)
    return Counter(ended.counts)


async def sessions(core: Core, person: Person) -> int:
    (row,) = await rows(core, person, "SELECT count(*) FROM user_sessions")
    return int(row["count"])


async def test_ended_sessions_and_tokens_go_and_live_ones_stay(core: Core, clock: Clock) -> None:
    person = await a_person(core.database, now=clock(), lifetime=timedelta(hours=1))
    for lifetime in (timedelta(days=1), timedelta(days=60)):
        await rows(
            core,
            person,
            "INSERT INTO user_sessions (tenant_id, id, user_id, token_hash, created_at, last_seen_at, expires_at)"
            " SELECT tenant_id, %(id)s, id, uuid_send(%(id)s), %(now)s, %(now)s, %(until)s FROM users",
            id=new_id(),
            now=clock.now,
            until=clock.now + lifetime,
        )
    clock.advance(days=5)
    await purged(core, clock)
    assert await sessions(core, person) == 2
    assert (await rows(core, person, "SELECT count(*) FROM oauth_tokens"))[0]["count"] == 0
    clock.advance(days=5)
    await purged(core, clock)
    assert await sessions(core, person) == 1


async def test_records_of_runs_go_after_their_time_and_live_runs_never(core: Core, clock: Clock) -> None:
    done = Workshop(core.database, clock, nothing)
    dead = Workshop(core.database, clock, raising(ValueError()), options={"attempts": 1})
    waiting = Workshop(core.database, clock, nothing)
    for shop in (done, dead, waiting):
        await shop.enqueue()
    for shop in (done, dead):
        await shop.drain()
    clock.advance(days=8)
    await purged(core, clock)
    assert [len(await shop.record()) for shop in (done, dead, waiting)] == [0, 1, 1]
    clock.advance(days=25)
    await purged(core, clock)
    assert [len(await shop.record()) for shop in (done, dead, waiting)] == [0, 0, 1]


async def test_counts_of_metered_calls_stay_for_a_year_and_a_month(core: Core, clock: Clock, alice: Person) -> None:
    since = clock.now.date()
    await begin_call(core.database, alice.principal, MeteredOperation.EMBED, now=clock())
    for days, is_kept in ((399, True), (3, False)):
        clock.advance(days=days)
        await purged(core, clock)
        assert bool(await spent(core.database, alice.principal, since=since)) is is_kept
