"""Deadlines: expiry, nesting, and what is left."""

from contextlib import AsyncExitStack

import anyio
import pytest

from threengram.runtime.deadline import DeadlineExceeded, deadline, remaining_s

pytestmark = pytest.mark.anyio


async def endless(*timeouts_s: float) -> None:
    """Wait for ever under the deadlines, outermost first."""
    async with AsyncExitStack() as stack:
        for timeout_s in timeouts_s:
            await stack.enter_async_context(deadline(timeout_s))
        await anyio.sleep_forever()


async def test_work_that_outlasts_its_deadline_is_cancelled() -> None:
    with anyio.fail_after(60), pytest.raises(DeadlineExceeded):
        await endless(0.01)


async def test_work_that_ends_in_time_is_left_alone() -> None:
    async with deadline(5):
        finished = True

    assert finished
    assert remaining_s(7.0) == 7.0


async def test_a_nested_deadline_never_extends_the_outer_one() -> None:
    async with deadline(0.5), deadline(60):
        assert remaining_s(60) <= 0.5

    with anyio.fail_after(60), pytest.raises(DeadlineExceeded):
        await endless(0.01, 60)


async def test_a_nested_deadline_may_be_shorter_and_leaves_the_outer_one_running() -> None:
    async with deadline(500):
        with pytest.raises(DeadlineExceeded):
            await endless(0.01)
        assert 400 < remaining_s(600) <= 500


async def test_remaining_time_is_never_more_than_the_default_nor_less_than_zero() -> None:
    async with deadline(500):
        assert remaining_s(0.5) == 0.5
    async with deadline(0):
        assert remaining_s(1) == 0


async def test_a_task_inherits_the_deadline_it_was_started_under() -> None:
    seen: list[float] = []

    async def child() -> None:
        seen.append(remaining_s(600))

    async with deadline(500), anyio.create_task_group() as group:
        group.start_soon(child)

    assert 400 < seen[0] <= 500
