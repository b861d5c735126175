"""Waits that a test wants to see cut short."""

import asyncio

MOST_S = 60.0


async def cut_short() -> None:
    """Wait for whoever is to cancel this; a `TimeoutError` after `MOST_S`, so that a lost deadline fails its test."""
    async with asyncio.timeout(MOST_S):
        await asyncio.Event().wait()
