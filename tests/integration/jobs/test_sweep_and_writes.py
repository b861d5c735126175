"""Sweep and writes at full speed: no deadlock, no pass dropped."""

from tests.conftest import Clock
from tests.integration.jobs.sweeping import ENDED_WELL, left_behind, sweep_and_write
from tests.integration.jobs.working import Workshop
from tests.people import Person
from threengram.core.call import Core
from threengram.core.commitments.job import surface
from threengram.core.commitments.sweep import DEFAULT_GRACE
from threengram.core.jobs.job import JobContext


async def test_sweeps_and_writes_at_full_speed_never_stop_each_other(core: Core, clock: Clock, alice: Person) -> None:
    lexical = Core(core.database, None, core.cursors, clock)
    seen = await sweep_and_write(lexical, clock, alice, promises=30, rounds=40, seed=1)
    assert seen.keys() <= ENDED_WELL
    assert seen["ok"] > 2
    assert seen["written"] > 40

    async def last_pass(context: JobContext) -> bool:
        return await surface(context, grace=DEFAULT_GRACE)

    shop = Workshop(core.database, clock, last_pass)
    await shop.enqueue(alice.principal.tenant_id)
    await shop.drain()
    assert await left_behind(lexical, alice, clock) == 0
