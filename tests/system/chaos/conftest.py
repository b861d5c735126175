"""One stack with two gateways for all of the chaos; every test leaves it whole."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.stack import RunningStack, data_directory, hashing, running_stack
from tests.system.agent import agents
from tests.system.chaos.load import Load

TENANTS = 4
PLENTY = "100000"


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    with pytest.MonkeyPatch.context() as variables:
        # A few users and one key stand for many callers.
        variables.setenv("THREENGRAM_GATEWAY_CALLS_PER_MINUTE", PLENTY)
        variables.setenv("THREENGRAM_API_KEY_CALLS_PER_MINUTE", PLENTY)
        variables.setenv("THREENGRAM_API_USER_CALLS_PER_MINUTE", PLENTY)
        with data_directory() as data_dir, running_stack(data_dir, *hashing("--replicas=gateway=2")) as stack:
            yield stack


@pytest.fixture
async def load(stack: RunningStack) -> AsyncIterator[Load]:
    async with agents(stack, TENANTS) as callers:
        yield Load(callers)
