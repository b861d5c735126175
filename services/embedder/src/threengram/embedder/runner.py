"""What turns windows into vectors: the lanes of a model in this process, or a gateway elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from anyio import to_thread

from threengram.embedder.errors import Unready
from threengram.embedder.lanes import Lane
from threengram.embedder.model import Model, Vectors
from threengram.embedder.tokens import Ids
from threengram.runtime.telemetry import span
from threengram.schema.embedding import EmbeddingPriority


@dataclass(frozen=True, slots=True)
class Made:
    """Unit vectors, one row a window, and what each window cost in tokens."""

    vectors: Vectors
    tokens: Sequence[int]


class Runner(Protocol):
    """Runs the windows of one model."""

    def start(self) -> None:
        """Begin to take work."""
        ...

    async def stop(self) -> None:
        """Refuse what waits, and end."""
        ...

    def check(self) -> None:
        """Raise `Unready` where it can't take work."""
        ...

    async def run(self, priority: EmbeddingPriority, windows: Sequence[Ids], expires_at: float | None) -> Made:
        """The vectors of the windows. `expires_at` is monotonic seconds. Raises a `Refusal`; may be cancelled."""
        ...


class Lanes:
    """A lane for each priority. `background` is the model that backfill runs on, perhaps the same."""

    def __init__(self, model: Model, background: Model, *, max_queue_tokens: int) -> None:
        self._lanes: Mapping[EmbeddingPriority, Lane] = {
            priority: Lane(
                priority,
                (background if priority is EmbeddingPriority.BACKFILL else model).embed,
                max_queue_tokens=max_queue_tokens,
            )
            for priority in EmbeddingPriority
        }

    def start(self) -> None:
        """Start the threads."""
        for lane in self._lanes.values():
            lane.start()

    async def stop(self) -> None:
        """End the threads once their runs in progress have ended."""
        for lane in self._lanes.values():
            await to_thread.run_sync(lane.stop)

    def check(self) -> None:
        """Raise `Unready` unless every lane works."""
        if not all(lane.is_serving for lane in self._lanes.values()):
            raise Unready("a lane has stopped")

    async def run(self, priority: EmbeddingPriority, windows: Sequence[Ids], expires_at: float | None) -> Made:
        """The vectors of the windows; cancelling takes them out of the queue."""
        lane = self._lanes[priority]
        tokens = [len(window) for window in windows]
        fields = {"priority": priority, "windows": len(windows), "tokens": sum(tokens)}
        ticket = lane.submit(windows, expires_at)
        try:
            with span("embedder.queue", **fields):
                await ticket.started
            with span("embedder.model", **fields):
                return Made(await ticket.done, tokens)
        finally:
            lane.withdraw(ticket)
