"""Places for work that holds much and lasts: so many at once in this process, and nobody queues."""

from collections.abc import Iterator
from contextlib import contextmanager

from threengram.core.errors import Unavailable


class Places:
    """`count` places; `what` names the work, in the plural."""

    def __init__(self, count: int, what: str) -> None:
        self._free = count
        self._what = what

    @contextmanager
    def one(self) -> Iterator[None]:
        """Have a place for the block; raises `Unavailable` when there is none."""
        if self._free == 0:
            raise Unavailable(f"too many {self._what} are under way; try again in a minute")
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1
