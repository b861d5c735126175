"""Whether a process's main loop still goes round."""

import time
from collections.abc import Callable

from threengram.runtime.metrics import HEARTBEAT


class Heartbeat:
    """Dead once nobody has called `beat` for `limit_s`. Safe to use from several threads."""

    def __init__(
        self,
        limit_s: float,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._limit_s = limit_s
        self._monotonic = monotonic
        self._wall_clock = wall_clock
        self.beat()

    def beat(self) -> None:
        """Another round is done."""
        self._last = self._monotonic()
        HEARTBEAT.set(self._wall_clock())

    def is_alive(self) -> bool:
        """Whether the last beat is recent enough."""
        return self._monotonic() - self._last <= self._limit_s
