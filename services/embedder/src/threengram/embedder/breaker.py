"""A circuit breaker: after some failures in a row nobody knocks for a while, then one at a time is let through."""

import time
from collections.abc import Callable

FAILURES = 5
PAUSE_S = 15.0


class Breaker:
    """Closed until `FAILURES` in a row; open for `PAUSE_S`; then a single probe decides. For one event loop."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None

    def wait_s(self) -> float:
        """How long to stay away; 0 lets the caller through, as the probe where the breaker was open."""
        if self._opened_at is None:
            return 0.0
        left_s = self._opened_at + PAUSE_S - self._clock()
        if left_s <= 0:
            # Others keep waiting until the probe has ended, or has been lost for as long as a pause.
            self._opened_at = self._clock()
            return 0.0
        return left_s

    def succeed(self) -> None:
        """A call was answered."""
        self._failures = 0
        self._opened_at = None

    def fail(self) -> None:
        """A call failed for a reason that the next one would meet as well."""
        self._failures += 1
        if self._failures >= FAILURES:
            self._opened_at = self._clock()
