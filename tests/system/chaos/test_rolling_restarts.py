"""`threengram restart` of every service while callers go on: not one call is lost."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.stack import RunningStack, threengram
from tests.system.agent import PAUSE_S, TIMEOUT_S, agents
from tests.system.chaos.load import Load

CALLERS = 12
RESTART_TIMEOUT_S = 120.0


async def restart(stack: RunningStack, service: str) -> None:
    finished = await asyncio.to_thread(
        threengram, "restart", service, f"--data-dir={stack.data_dir}", timeout_s=RESTART_TIMEOUT_S
    )
    assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize("service", ["embedder", "worker", "beat", "cimd"])
async def test_a_restart_behind_the_gateway_loses_no_call(stack: RunningStack, load: Load, service: str) -> None:
    async with load.running(CALLERS):
        await load.answers(50)
        await restart(stack, service)
        await load.answers(50)
    assert not load.failures
    await load.require_everything_once()
    await load.require_all_vectors()


async def test_a_restart_of_the_gateway_loses_no_call(stack: RunningStack) -> None:
    async with agents(stack, 2) as with_kept, agents(stack, 2, keeps_alive=False) as with_new_connections:
        load = Load([*with_kept, *with_new_connections])
        async with load.running(CALLERS):
            await load.answers(50)
            await restart(stack, "gateway")
            await load.answers(50)
        assert not load.failures
        await load.require_everything_once()


async def test_a_restart_of_the_api_loses_no_request(stack: RunningStack) -> None:
    statuses: list[int] = []
    async with requests_to_the_api(stack, statuses):
        await restart(stack, "api")
    assert len(statuses) > CALLERS
    assert set(statuses) == {200}


@contextlib.asynccontextmanager
async def requests_to_the_api(stack: RunningStack, statuses: list[int]) -> AsyncIterator[None]:
    """Callers that ask for their environment over and over; 0 stands for a request without an answer."""
    record = stack.record
    is_over = asyncio.Event()
    headers = {"X-API-Key": record["apiKey"]}

    async def ask(http: httpx2.AsyncClient) -> None:
        while not is_over.is_set():
            try:
                statuses.append((await http.get("/api/v1/environment")).status_code)
            except httpx2.TransportError:
                statuses.append(0)
            await asyncio.sleep(PAUSE_S)

    async with (
        httpx2.AsyncClient(base_url=record["apiUrl"], headers=headers, timeout=TIMEOUT_S, trust_env=False) as http,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(CALLERS):
            group.create_task(ask(http))
        try:
            yield
        finally:
            is_over.set()
