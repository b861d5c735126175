"""Fixtures of the protocol tests."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from tests.contract.mcp.stack import ISSUER_URL, ORIGIN, PUBLIC_URL, Stack, Wire, wire
from tests.people import AUDIENCE, ISSUER
from threengram.core.call import Core, open_call
from threengram.core.identity.keys import PublishedKeys
from threengram.core.identity.tokens import AccessTokenVerifier
from threengram.gateway.build import Collaborators, build_app
from threengram.gateway.tools import TOOLS
from threengram.runtime.ratelimit import RateLimiter


@pytest.fixture
def stack() -> Stack:
    """Handles on the stack that `mcp` serves."""
    return Stack()


@pytest.fixture
async def mcp(stack: Stack) -> AsyncIterator[Wire]:
    """Raw requests to a started stack."""
    async with wire(stack.app()) as requests:
        yield requests


@pytest.fixture
async def real(core: Core, redis_url: str) -> AsyncIterator[Wire]:
    """Raw requests to the product's tools on PostgreSQL and Valkey, with tokens that are verified."""
    limiter = RateLimiter(redis_url, timeout_s=30)
    collaborators = Collaborators(
        tools=TOOLS,
        verifier=AccessTokenVerifier(issuer=ISSUER, audience=AUDIENCE, keys=PublishedKeys(core.database)),
        limiter=limiter,
        open_call=partial(open_call, core),
        clock=core.clock,
    )
    app = build_app(collaborators, public_url=PUBLIC_URL, issuer_url=ISSUER_URL, allowed_origins=(ORIGIN,))
    async with wire(app) as requests:
        yield requests
    await limiter.aclose()
