"""How long the work at hand may still take; nested deadlines only ever shorten it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

import anyio

_expires_at: ContextVar[float | None] = ContextVar("threengram_deadline", default=None)


class DeadlineExceeded(TimeoutError):
    """The time given to a piece of work ran out; the work was cancelled."""


@asynccontextmanager
async def deadline(timeout_s: float) -> AsyncIterator[None]:
    """Cancel the body after `timeout_s`, or at the enclosing deadline when that is earlier.

    Raises `DeadlineExceeded` on expiry.
    """
    outer = _expires_at.get()
    own = anyio.current_time() + timeout_s
    expires_at = own if outer is None else min(own, outer)
    token = _expires_at.set(expires_at)
    try:
        with anyio.CancelScope(deadline=expires_at) as scope:
            yield
    finally:
        _expires_at.reset(token)
    if scope.cancelled_caught:
        raise DeadlineExceeded("the deadline passed")


def remaining_s(default: float) -> float:
    """Seconds until the nearest deadline, at most `default` and at least 0. Without a deadline: `default`."""
    expires_at = _expires_at.get()
    if expires_at is None:
        return default
    return max(0.0, min(default, expires_at - anyio.current_time()))
