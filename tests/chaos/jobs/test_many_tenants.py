"""Consolidation and surfacing fanned out over five thousand tenants in bounded memory; what an idle pair costs."""

import asyncio
import time

import psutil

from tests.integration.worker.fanning import SURFACE, fanned_out
from tests.integration.worker.programs import Program, Stack
from tests.integration.worker.shelves import CONSOLIDATE, SHELF, crowd_with_shelves, require_as_planted
from tests.integration.worker.writing import Diary
from tests.waiting import eventually

TENANTS = 5_000
SWITCHED_OFF = 50
PATIENCE_S = 900.0
MAX_GROWTH_MIB = 64
IDLE_S = 60.0
MAX_IDLE_SHARE = 0.02


async def test_five_thousand_tenants_are_fanned_out_in_bounded_memory(
    stack: Stack, diary: Diary, own_owner_url: str
) -> None:
    began = time.monotonic()
    crowd_with_shelves(own_owner_url, tenants=TENANTS, switched_off=SWITCHED_OFF)
    print(f"{TENANTS} tenants with {len(SHELF)} vectors each loaded and indexed in {time.monotonic() - began:.0f} s")
    worker, _ = stack.worker(), stack.beat()
    expected = {SURFACE: TENANTS, CONSOLIDATE: TENANTS - SWITCHED_OFF}
    done = await fanned_out(diary.core.database, worker, expected, patience_s=PATIENCE_S)
    for kind in expected:
        took_s = done.took_s(kind)
        print(f"{kind}: {expected[kind]} tenants in {took_s:.0f} s, {expected[kind] / took_s:.0f} a second")
    pairs = sum(run.counts["pairs"] for run in done.runs[CONSOLIDATE])
    print(f"{pairs} pairs, {pairs / done.took_s(CONSOLIDATE):.0f} a second; {done.growth_mib:.0f} MiB more memory")
    require_as_planted(own_owner_url, done, tenants=TENANTS, switched_off=SWITCHED_OFF)
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
