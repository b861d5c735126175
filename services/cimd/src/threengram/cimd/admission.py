"""What may be fetched now: room at once and per host, new documents per minute, and a pause after a failure."""

import math
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from threengram.cimd.failures import Unresolved
from threengram.schema.oauth import ResolveFailure

_FIRST_PAUSE_S: Final = 1
_LONGEST_PAUSE_S: Final = 60
_MAX_FAILING: Final = 1_024
_MAX_KNOWN: Final = 8_192
_MINUTE: Final = timedelta(minutes=1)
_RETRY_AFTER_S: Final = 1


class HostRoom:
    """How many requests one host gets at the same time, redirects to it included."""

    def __init__(self, max_per_host: int) -> None:
        self._max_per_host = max_per_host
        self._active: Counter[str] = Counter()

    @contextmanager
    def of(self, host: str) -> Iterator[None]:
        """One of the host's places until the block ends. Raises `Unresolved` when all are taken."""
        if self._active[host] >= self._max_per_host:
            raise Unresolved(ResolveFailure.CAPACITY_EXCEEDED, retry_after_s=_RETRY_AFTER_S)
        self._active[host] += 1
        try:
            yield
        finally:
            self._active[host] -= 1
            if not self._active[host]:
                del self._active[host]


class NewDocuments:
    """How many URLs a minute may be tried that never had a valid document here.

    Known ones are exempt, so that a flood of invented URLs doesn't lock out the clients in use. They are remembered by
    hash, the last few thousand.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._tried_at: deque[datetime] = deque()
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def admit(self, url: str, now: datetime) -> None:
        """Count a URL unless it is known. Raises `Unresolved` when the minute is full."""
        if self.knows(url):
            self._known.move_to_end(_key(url))
            return
        while self._tried_at and self._tried_at[0] <= now - _MINUTE:
            self._tried_at.popleft()
        if len(self._tried_at) >= self._per_minute:
            left_s = (self._tried_at[0] + _MINUTE - now).total_seconds()
            raise Unresolved(ResolveFailure.QUOTA_EXCEEDED, retry_after_s=max(1, math.ceil(left_s)))
        self._tried_at.append(now)

    def knows(self, url: str) -> bool:
        """Whether the URL had a valid document here."""
        return _key(url) in self._known

    def know(self, url: str) -> None:
        """The URL has a valid document."""
        self._known[_key(url)] = None
        if len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Pause:
    error: Unresolved
    failures: int
    until: datetime


class Pauses:
    """After a failure a URL is left alone: 1 s, then twice as long after each further one, at most a minute.

    Not a cache of what was found: the pause answers with the last failure, and the next try decides anew.
    """

    def __init__(self) -> None:
        self._failing: OrderedDict[str, _Pause] = OrderedDict()

    def check(self, url: str, now: datetime) -> None:
        """Raises the last `Unresolved` while the URL pauses."""
        pause = self._failing.get(url)
        if pause is not None and now < pause.until:
            raise pause.error.again(max(1, math.ceil((pause.until - now).total_seconds())))

    def failed(self, url: str, error: Unresolved, now: datetime) -> Unresolved:
        """Begin the next pause; the error as it is said until its end."""
        before = self._failing.pop(url, None)
        failures = 1 if before is None else before.failures + 1
        pause_s = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(failures - 1, 10))
        said = error.again(pause_s)
        self._failing[url] = _Pause(said, failures, now + timedelta(seconds=pause_s))
        if len(self._failing) > _MAX_FAILING:
            self._failing.popitem(last=False)
        return said

    def succeeded(self, url: str) -> None:
        """Forget the failures."""
        self._failing.pop(url, None)


def _key(url: str) -> bytes:
    return sha256(url.encode()).digest()
