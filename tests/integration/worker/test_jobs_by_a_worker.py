import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.integration.worker.crowds import crowd, unsurfaced
from tests.integration.worker.fanning import SURFACE, done_by_now, fanned_out
from tests.integration.worker.killing import TAKEN_OVER_WITHIN_S, kill_in_the_middle
from tests.integration.worker.outages import mortal_backends
from tests.integration.worker.programs import Stack
from tests.integration.worker.shelves import CONSOLIDATE, crowd_with_shelves, require_as_planted
from tests.integration.worker.writing import Diary
from tests.waiting import eventually
from threengram.core.db.database import Database

pytestmark = pytest.mark.anyio

KILLS = 3
TENANTS = 300
PATIENCE_S = 120.0
MAX_GROWTH_MIB = 40
SHELVED_TENANTS, SWITCHED_OFF = 150, 3


async def test_runs_of_a_killed_worker_are_taken_over_within_the_lease_and_done_once(
    stack: Stack, diary: Diary, own_owner_url: str, two_models_url: str
) -> None:
    taken_over_s = await kill_in_the_middle(stack, diary, own_owner_url, two_models_url, times=KILLS)
    print("seconds until taken over:", [round(seconds, 1) for seconds in taken_over_s])
    assert max(taken_over_s) < TAKEN_OVER_WITHIN_S


async def test_a_restart_of_database_and_broker_loses_no_run_doubles_none_and_leaves_none_stuck(
    tmp_path: Path,
) -> None:
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
            worker, *beats = stack.worker(), stack.beat(), stack.beat()
            await database.open()
            await eventually(partial(done_by_now, database, TENANTS // 10))
            backends.restart_both()
            assert not await done_by_now(database, TENANTS)
            done = await fanned_out(database, worker, {SURFACE: TENANTS}, patience_s=PATIENCE_S)
            await eventually(lambda: all(program.is_ready() for program in (worker, *beats)))
        surfaced = done.tenants(SURFACE)
        assert (len(surfaced), set(surfaced.values())) == (TENANTS, {1})
        assert unsurfaced(backends.owner_url, list(surfaced)) == 0
        assert done.growth_mib < MAX_GROWTH_MIB
        await database.close()


async def test_a_fan_out_proposes_to_each_tenant_what_its_own_texts_and_vectors_say_and_nothing_else(
    stack: Stack, diary: Diary, own_owner_url: str
) -> None:
    crowd_with_shelves(own_owner_url, tenants=SHELVED_TENANTS, switched_off=SWITCHED_OFF)
    worker, _ = stack.worker(), stack.beat()
    expected = {SURFACE: SHELVED_TENANTS, CONSOLIDATE: SHELVED_TENANTS - SWITCHED_OFF}
    done = await fanned_out(diary.core.database, worker, expected, patience_s=PATIENCE_S)
    require_as_planted(own_owner_url, done, tenants=SHELVED_TENANTS, switched_off=SWITCHED_OFF)
    assert done.growth_mib < MAX_GROWTH_MIB


async def test_jobs_are_steered_in_a_container_without_the_console_script(diary: Diary, own_database_url: str) -> None:
    environment = {"THREENGRAM_WORKER_DATABASE_URL": own_database_url, "THREENGRAM_WORKER_REDIS_URL": "redis://none"}

    def jobs(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = (sys.executable, "-P", "-m", "threengram.worker", "jobs", *arguments)
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    started = json.loads(jobs("run", "purge").stdout)
    assert [json.loads(line)["id"] for line in jobs("list", "--kind", "purge").stdout.splitlines()] == [started["id"]]
    refused = jobs("run", "purge")
    assert (refused.returncode, refused.stderr) == (1, "a run of purge waits or works already\n")
