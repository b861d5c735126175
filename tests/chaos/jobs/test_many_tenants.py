"""One fan-out over five thousand tenants, its memory bounded; and what an idle worker and beat cost."""

import asyncio
import time

import psutil

from tests.integration.worker.crowds import crowd, unsurfaced
from tests.integration.worker.fanning import fanned_out
from tests.integration.worker.programs import Program, Stack
from tests.integration.worker.writing import Diary, eventually

TENANTS = 5_000
MEMORIES = 20
PROMISES = 2
PATIENCE_S = 900.0
MAX_GROWTH_MIB = 64
IDLE_S = 60.0
MAX_IDLE_SHARE = 0.02


async def test_five_thousand_tenants_are_fanned_out_in_bounded_memory(
    stack: Stack, diary: Diary, own_owner_url: str
) -> None:
    crowd(own_owner_url, tenants=TENANTS, memories=MEMORIES, promises=PROMISES)
    worker, _ = stack.worker(), stack.beat()
    began = time.monotonic()
    done = await fanned_out(diary.core.database, worker, tenants=TENANTS, patience_s=PATIENCE_S)
    took_s = time.monotonic() - began
    print(f"{TENANTS} tenants in {took_s:.0f} s, start of the worker included; {done.growth_mib:.0f} MiB more memory")
    assert (len(done.runs), set(done.runs.values())) == (TENANTS, {1})
    assert unsurfaced(own_owner_url, list(done.runs)) == 0
    assert done.growth_mib < MAX_GROWTH_MIB


async def test_an_idle_worker_and_beat_cost_little(stack: Stack, diary: Diary) -> None:
    usual = {"embed_interval_s": "2", "job_interval_s": "5", "log_level": "INFO"}
    programs = stack.worker(**usual), stack.beat(**usual)
    await eventually(lambda: all(program.is_ready() for program in programs))
    await eventually(lambda: bool(programs[0].events("run_ended")))
    before = cpu_s(*programs)
    await asyncio.sleep(IDLE_S)
    share = (cpu_s(*programs) - before) / IDLE_S
    print(f"{100 * share:.2f} % of a core, worker and beat together")
    assert share < MAX_IDLE_SHARE


def cpu_s(*programs: Program) -> float:
    times = [psutil.Process(program.process.pid).cpu_times() for program in programs]
    return float(sum(one.user + one.system for one in times))
