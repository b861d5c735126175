"""Fixtures of the protocol tests."""

from collections.abc import AsyncIterator

import pytest

from tests.contract.mcp.stack import Stack, Wire, wire


@pytest.fixture
def anyio_backend() -> str:
    """asyncio only: the product doesn't run on trio."""
    return "asyncio"


@pytest.fixture
def stack() -> Stack:
    """Handles on the stack that `mcp` serves."""
    return Stack()


@pytest.fixture
async def mcp(stack: Stack) -> AsyncIterator[Wire]:
    """Raw requests to a started stack."""
    async with wire(stack.app()) as requests:
        yield requests
