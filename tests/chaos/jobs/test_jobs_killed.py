"""Twenty workers end in the middle of every kind of job, and servers end again and again under a fan-out."""

from functools import partial
from pathlib import Path

from tests.integration.worker.crowds import crowd, unsurfaced
from tests.integration.worker.fanning import SURFACE, done_by_now, fanned_out
from tests.integration.worker.killing import TAKEN_OVER_WITHIN_S, kill_in_the_middle
from tests.integration.worker.outages import mortal_backends
from tests.integration.worker.programs import Stack
from tests.integration.worker.writing import Diary
from tests.waiting import eventually
from threengram.core.db.database import Database

KILLS = 20
TENANTS = 2_000
RESTARTS = 8
PATIENCE_S = 600.0


async def test_twenty_kills_in_the_middle_of_every_kind_of_job(
    stack: Stack, diary: Diary, own_owner_url: str, two_models_url: str
) -> None:
    taken_over_s = sorted(await kill_in_the_middle(stack, diary, own_owner_url, two_models_url, times=KILLS))
    print(f"taken over within {taken_over_s[KILLS // 2]:.1f} s (median), {taken_over_s[-1]:.1f} s (longest)")
    assert taken_over_s[-1] < TAKEN_OVER_WITHIN_S


async def test_restarts_of_database_and_broker_all_through_a_fan_out(tmp_path: Path) -> None:
    with mortal_backends() as backends:
        crowd(backends.owner_url, tenants=TENANTS)
        variables = {
            "DATABASE_URL": backends.database_url,
            "REDIS_URL": backends.redis_url,
            "JOB_INTERVAL_S": "0.3",
            "JOB_SLOTS": "1",
            "LEASE_S": "2",
        }
        database = Database(backends.database_url, pool_min=0, pool_max=2)
        with Stack(tmp_path, variables) as stack:
            worker, _ = stack.worker(), stack.beat()
            await database.open()
            for number in range(1, RESTARTS + 1):
                await eventually(partial(done_by_now, database, number * TENANTS // (2 * RESTARTS)))
                backends.restart_both()
            done = await fanned_out(database, worker, {SURFACE: TENANTS}, patience_s=PATIENCE_S)
        surfaced = done.tenants(SURFACE)
        assert (len(surfaced), set(surfaced.values())) == (TENANTS, {1})
        assert unsurfaced(backends.owner_url, list(surfaced)) == 0
        await database.close()
