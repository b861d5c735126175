"""Waits: for what another process or task does, and those that a test wants to see cut short. Each has an end."""

import asyncio
import time
from collections.abc import Awaitable, Callable

MOST_S = 120.0
POLL_S = 0.02


def wait_until(claim: Callable[[], bool], *, within_s: float = MOST_S) -> None:
    """Block until the claim holds; fails after `within_s`."""
    until = time.monotonic() + within_s
    while not claim():
        assert time.monotonic() < until, "the condition never came true"
        time.sleep(POLL_S)


async def eventually(claim: Callable[[], bool | Awaitable[bool]], *, within_s: float = MOST_S) -> None:
    """Wait until the claim holds; fails after `within_s`."""
    until = time.monotonic() + within_s
    while True:
        held = claim()
        if await held if isinstance(held, Awaitable) else held:
            return
        assert time.monotonic() < until, "the condition never came true"
        await asyncio.sleep(POLL_S)


async def cut_short() -> None:
    """Wait for whoever is to cancel this; a `TimeoutError` after `MOST_S`, so that a lost deadline fails its test."""
    async with asyncio.timeout(MOST_S):
        await asyncio.Event().wait()
