import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext

import pytest

from threengram.runtime.telemetry import current_traceparent, span
from threengram.worker.loop import BackgroundLoop
from threengram.worker.task_runner import Counts, TaskRunner

NEVER_S = 3_600


@pytest.fixture
def background() -> Iterator[BackgroundLoop]:
    with BackgroundLoop(nullcontext) as background:
        yield background


async def forever() -> Counts:
    await asyncio.sleep(NEVER_S)
    return {}


def test_a_job_gives_back_what_it_counted(background: BackgroundLoop) -> None:
    async def count() -> Counts:
        return {"stored": 3}

    assert TaskRunner(background).run(count(), time_limit_s=5) == {"stored": 3}


def test_a_job_past_its_limit_is_cancelled(background: BackgroundLoop) -> None:
    with pytest.raises(TimeoutError):
        TaskRunner(background).run(forever(), time_limit_s=0.01)


def test_a_job_that_outlasts_the_grace_of_a_stop_is_cancelled(background: BackgroundLoop) -> None:
    runner = TaskRunner(background)
    began = threading.Event()

    async def job() -> Counts:
        began.set()
        return await forever()

    with ThreadPoolExecutor(1) as caller:
        running = caller.submit(runner.run, job(), time_limit_s=NEVER_S)
        assert began.wait(5)
        runner.stop(0.01)
        with pytest.raises(CancelledError):
            running.result(5)
    assert runner.is_stopping


def test_a_job_works_under_the_span_of_its_caller(background: BackgroundLoop) -> None:
    async def look() -> str | None:
        return current_traceparent()

    with span("job.run"):
        own = current_traceparent()
        assert own is not None
        assert background.submit(look()).result(5) == own


def test_what_the_lifespan_opens_is_closed_on_its_own_loop() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        loops.append(asyncio.get_running_loop())
        yield
        loops.append(asyncio.get_running_loop())

    with BackgroundLoop(lifespan) as background:
        assert loops == [background.loop]
    assert loops == [background.loop] * 2


def test_a_lifespan_that_fails_ends_the_start() -> None:
    def listen() -> None:
        raise OSError("the port is taken")

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        listen()
        yield

    with pytest.raises(OSError, match="the port is taken"), BackgroundLoop(lifespan):
        pass
