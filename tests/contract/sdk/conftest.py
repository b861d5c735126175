"""Clients of the SDK on the real service: in this process with its own clock, and as a process on loopback."""

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest

from tests.contract.mcp.stack import started
from tests.contract.rest.process import api_process, new_key
from tests.contract.rest.stack import BASE_URL, a_key, api_of
from tests.people import Person
from tests.waiting import wait_until
from threengram.core.call import Core
from threengram.runtime.ratelimit import RateLimiter
from threengram.sdk import AsyncThreengram


@pytest.fixture
async def limiter(redis_url: str) -> AsyncIterator[RateLimiter]:
    counters = RateLimiter(redis_url, timeout_s=30)
    yield counters
    await counters.aclose()


@pytest.fixture
async def transport(core: Core, limiter: RateLimiter) -> AsyncIterator[httpx2.AsyncBaseTransport]:
    app = api_of(core, limiter)
    async with started(app):
        yield httpx2.ASGITransport(app=app, raise_app_exceptions=False)


@pytest.fixture
async def memory(core: Core, transport: httpx2.AsyncBaseTransport, alice: Person) -> AsyncIterator[AsyncThreengram]:
    """Alice's."""
    async with AsyncThreengram(BASE_URL, api_key=await a_key(core, alice), transport=transport) as client:
        yield client


@pytest.fixture(scope="session")
def api_url(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, redis_url: str, hash_embedder_url: str
) -> Iterator[str]:
    """The service as a process."""
    variables = {"database_url": database_url, "redis_url": redis_url, "embedder_url": hash_embedder_url}
    with api_process(tmp_path_factory.mktemp("sdk"), **variables) as running:
        wait_until(running.is_ready)
        yield running.url


@pytest.fixture
def api_key(database_url: str) -> str:
    """Of somebody new."""
    return new_key(database_url)
