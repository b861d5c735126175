"""`python -m threengram.embedder`: readiness, priorities and departed callers over real sockets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.integration.runtime.processes import Service, listening, service
from tests.waiting import wait_until

pytestmark = pytest.mark.anyio

MODEL = "all-MiniLM-L6-v2-dynamic-int8"
START_TIMEOUT_S = 60.0
WAIT_S = 60.0
POLL_S = 0.02


@contextmanager
def embedder_process(directory: Path) -> Iterator[Service]:
    """The service as it is deployed, with a queue of about eight windows."""
    variables = {"max_queue_tokens": "2000", "query_cache_entries": "0"}
    with (
        listening() as listener,
        service(("-m", "threengram.embedder"), "THREENGRAM_EMBEDDER_", directory, listener, **variables) as process,
    ):
        yield process


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with embedder_process(tmp_path_factory.mktemp("embedder")) as process:
        yield process


@pytest.fixture
async def client(process: Service) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=process.url, timeout=WAIT_S) as client:

        async def is_ready() -> bool:
            try:
                return (await client.get(f"{process.admin_url}/readyz")).status_code == 200
            except httpx2.TransportError:
                return False

        await until(is_ready, START_TIMEOUT_S)
        yield client


async def until(condition: Callable[[], Awaitable[bool]], timeout_s: float = WAIT_S) -> None:
    """Return once the condition holds; fail after `timeout_s`."""
    async with asyncio.timeout(timeout_s):
        while True:
            if await condition():
                return
            await asyncio.sleep(POLL_S)


async def metric(client: httpx2.AsyncClient, process: Service, series: str) -> float:
    lines = (await client.get(f"{process.admin_url}/metrics")).text.splitlines()
    return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{series} ")), 0.0)


async def embed(client: httpx2.AsyncClient, text: str, priority: str, **body: object) -> httpx2.Response:
    return await client.post(
        "/v1/embeddings", json={"model": MODEL, "input": text, "priority": priority, "windows": "all"} | body
    )


LONG_TEXT = "the quick brown fox jumps over the lazy dog " * 180
BACKFILL_WAITING = 'threengram_embedder_queue_tokens{priority="backfill"}'
BACKFILL_CANCELLED = 'threengram_embedder_request_duration_seconds_count{outcome="cancelled",priority="backfill"}'


async def backfill_waits(client: httpx2.AsyncClient, process: Service) -> None:
    async def waits() -> bool:
        return await metric(client, process, BACKFILL_WAITING) > 0

    await until(waits)


async def backfill_is_empty(client: httpx2.AsyncClient, process: Service) -> None:
    async def is_empty() -> bool:
        return await metric(client, process, BACKFILL_WAITING) == 0

    await until(is_empty)


async def test_a_query_overtakes_backfill(client: httpx2.AsyncClient, process: Service) -> None:
    long = asyncio.create_task(embed(client, LONG_TEXT, "backfill"))
    await backfill_waits(client, process)
    response = await embed(client, "where are invoices?", "query")
    assert response.status_code == 200
    assert not long.done()
    assert len((await long).json()["data"]) == 17


async def test_work_of_a_caller_who_left_is_dropped(client: httpx2.AsyncClient, process: Service) -> None:
    await backfill_is_empty(client, process)
    before = await metric(client, process, BACKFILL_CANCELLED)
    embedded = await metric(client, process, "threengram_embedder_tokens_total")
    leaving = asyncio.create_task(embed(client, LONG_TEXT, "backfill"))
    await backfill_waits(client, process)
    leaving.cancel()
    await backfill_is_empty(client, process)

    async def is_counted() -> bool:
        return await metric(client, process, BACKFILL_CANCELLED) == before + 1

    await until(is_counted)
    assert await metric(client, process, "threengram_embedder_tokens_total") - embedded < 1_000


async def test_a_full_queue_answers_503_and_other_priorities_go_on(
    client: httpx2.AsyncClient, process: Service
) -> None:
    await backfill_is_empty(client, process)
    first = asyncio.create_task(embed(client, LONG_TEXT, "backfill"))
    await backfill_waits(client, process)
    refused = await embed(client, LONG_TEXT, "backfill")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "queue_full")
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert (await embed(client, "a short note", "write")).status_code == 200
    assert (await first).status_code == 200


async def test_text_is_in_no_log_line_and_no_metric(client: httpx2.AsyncClient, process: Service) -> None:
    await embed(client, "canaryword", "query")
    await embed(client, "canaryword", "canaryword")
    assert "canaryword" not in (await client.get(f"{process.admin_url}/metrics")).text
    assert "canaryword" not in process.output


def test_it_stops_on_a_signal_without_an_error(tmp_path: Path) -> None:
    with embedder_process(tmp_path) as process:
        wait_until(process.is_ready)
        process.process.terminate()
        assert process.ended() == 0
        assert [line["level"] for line in process.lines if line["level"] not in {"info", "debug"}] == []
        assert process.events("model_loaded")[0]["model"] == MODEL
