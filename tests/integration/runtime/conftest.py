"""The event loop of these tests."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """asyncio only: the product doesn't run on trio."""
    return "asyncio"
