"""The seam through which core is watched. The process decides what a span is; core names it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Observer(Protocol):
    """Spans with names from core's own vocabulary; attributes are ids, counts and enums only."""

    def span(self, name: str, **attributes: str | int | float | bool) -> AbstractContextManager[None]:
        """Time the block, as a child of the current span or, when it is given and not empty, of `traceparent`."""
        ...

    def traceparent(self) -> str | None:
        """The W3C trace context of the running span, to be carried through a job row."""
        ...

    def count(self, event: str, amount: int = 1, **labels: str) -> None:
        """So many more of what happened; names are core's own, label values are enums."""
        ...


class Unobserved:
    """Nobody watches."""

    @contextmanager
    def span(self, name: str, **attributes: str | int | float | bool) -> Iterator[None]:
        """Run the block."""
        yield

    def traceparent(self) -> str | None:
        """No context."""
        return None

    def count(self, event: str, amount: int = 1, **labels: str) -> None:
        """Forget it."""
