"""Fixtures of the REST tests."""

from collections.abc import AsyncIterator

import pytest

from tests.contract.rest.stack import Rest, a_key, api_of, requests_to
from tests.people import Person
from threengram.core.call import Core
from threengram.runtime.ratelimit import RateLimiter


@pytest.fixture
async def limiter(redis_url: str) -> AsyncIterator[RateLimiter]:
    counters = RateLimiter(redis_url, timeout_s=30)
    yield counters
    await counters.aclose()


@pytest.fixture
async def rest(core: Core, limiter: RateLimiter, alice: Person) -> AsyncIterator[Rest]:
    """Requests of Alice, whose key may read and write."""
    async with requests_to(api_of(core, limiter), await a_key(core, alice)) as requests:
        yield requests


@pytest.fixture
async def bobs(core: Core, rest: Rest, bob: Person) -> Rest:
    """Requests of Bob to the same service."""
    return rest.with_key(await a_key(core, bob))
