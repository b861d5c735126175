"""Whether a failed attempt is made again, and when. Nothing here waits or asks a clock.

A read is made again whenever that may help. A write is made again only where the server surely has not carried it
out: nothing was sent, or the call was refused before anybody looked at it (429). A 503 does not say as much, since a
database that goes away may have committed before.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from threengram.sdk.errors import ApiError, RateLimited, ThreengramError, Unreachable


@dataclass(frozen=True)
class Retries:
    """At most `most` further attempts. Before the nth one the wait is random, up to `base_s` · 2ⁿ⁻¹ and `cap_s`.

    A wait that the server asks for (`Retry-After`) comes first, whatever `cap_s` says. `random` gives 0 to 1.
    """

    most: int = 3
    base_s: float = 0.25
    cap_s: float = 5.0
    random: Callable[[], float] = random.random

    def wait_s(self, error: ThreengramError, *, is_read: bool, failed: int, left_s: float) -> float | None:
        """Seconds to wait after `failed` attempts that ended with `error`; None when the call is over.

        It is over too when waiting would take all of the `left_s` seconds.
        """
        if failed > self.most or not may_repeat(error, is_read=is_read):
            return None
        spread_s = min(self.cap_s, self.base_s * 2 ** (failed - 1)) * self.random()
        asked_s = (error.retry_after_s or 0.0) if isinstance(error, ApiError) else 0.0
        wait_s = asked_s + spread_s
        return wait_s if wait_s < left_s else None


NO_RETRIES = Retries(most=0)


def may_repeat(error: ThreengramError, *, is_read: bool) -> bool:
    """Whether another attempt may succeed and can do no harm."""
    if is_read:
        return error.retryable
    if isinstance(error, Unreachable):
        return not error.was_sent
    return isinstance(error, RateLimited)
