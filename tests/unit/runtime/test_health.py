"""Readiness from named checks."""

import logging

import anyio
import pytest

from threengram.runtime import health
from threengram.runtime.health import Health, Report

pytestmark = pytest.mark.anyio


async def passes() -> None:
    """A check that finds nothing wrong."""


async def fails() -> None:
    """A check that finds something wrong."""
    raise ConnectionRefusedError("canary: password=secret")


async def test_a_failing_check_is_named_with_its_error_class_only() -> None:
    report = await Health({"database": fails, "limiter": passes}).ready()

    assert report == Report("not_ready", failing={"database": "ConnectionRefusedError"})
    assert not report.is_ready


async def test_the_log_says_once_when_a_check_begins_to_fail_and_when_it_passes_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(health, "CACHE_S", 0)
    caplog.set_level(logging.INFO)
    outcomes = [passes, fails, fails, passes]

    async def check() -> None:
        await outcomes.pop(0)()

    watched = Health({"database": check})
    for _ in range(4):
        await watched.ready()

    told = [(record.msg, record.__dict__["threengram_fields"]) for record in caplog.records]
    assert [(event, fields["check"]) for event, fields in told] == [
        ("check_failed", "database"),
        ("check_recovered", "database"),
    ]
    assert told[0][1]["error_class"] == "ConnectionRefusedError"
    assert "canary" not in str(told)


async def test_a_degraded_check_is_listed_and_leaves_the_process_ready() -> None:
    report = await Health({"database": passes}, {"embedder": fails}).ready()

    assert report == Report("ready", degraded={"embedder": "ConnectionRefusedError"})
    assert report.is_ready


async def test_a_hanging_check_fails_after_its_own_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "CHECK_TIMEOUT_S", 0.01)

    with anyio.fail_after(30):
        report = await Health({"database": anyio.sleep_forever, "limiter": passes}).ready()

    assert report == Report("not_ready", failing={"database": "TimeoutError"})


async def test_probes_at_the_same_time_share_one_run_of_the_checks() -> None:
    runs = 0

    async def counted() -> None:
        nonlocal runs
        runs += 1
        await anyio.lowlevel.checkpoint()

    watched = Health({"database": counted})
    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(watched.ready)

    assert runs == 1


async def test_the_checks_run_at_the_same_time() -> None:
    met = anyio.Event()

    async def waits() -> None:
        await met.wait()

    async def arrives() -> None:
        met.set()

    with anyio.fail_after(30):
        assert (await Health({"first": waits, "second": arrives}).ready()).is_ready


async def test_a_starting_or_draining_process_is_not_ready_whatever_its_checks_say() -> None:
    watched = Health({"database": passes})
    watched.begin_startup()
    assert await watched.ready() == Report("starting")

    watched.finish_startup()
    assert await watched.ready() == Report("ready")

    watched.drain()
    assert await watched.ready() == Report("draining")


async def test_a_drain_during_startup_is_not_undone_by_its_end() -> None:
    watched = Health()
    watched.begin_startup()
    watched.drain()
    watched.finish_startup()

    assert watched.is_draining
