"""What a request waits on while a lane works on its windows."""

import asyncio
from collections.abc import Sequence

import numpy as np

from threengram.embedder.errors import Refusal
from threengram.embedder.model import Vectors
from threengram.embedder.tokens import Ids
from threengram.runtime.telemetry import current_context


class Ticket:
    """The windows of one request in a lane. Belongs to the event loop; the lane reports to it from its thread."""

    def __init__(self, sequences: Sequence[Ids], expires_at: float | None) -> None:
        self.sequences = sequences
        self.expires_at = expires_at
        self.trace = current_context()
        self._rows: dict[int, Vectors] = {}
        self._loop = asyncio.get_running_loop()
        self.started: asyncio.Future[None] = self._loop.create_future()
        self.done: asyncio.Future[Vectors] = self._loop.create_future()

    def begin(self) -> None:
        """The first run with one of the windows starts."""
        self._loop.call_soon_threadsafe(self._settle, None, None)

    def deliver(self, position: int, vector: Vectors) -> None:
        """One window is done; after the last one `done` has all vectors in order."""
        self._rows[position] = vector
        if len(self._rows) == len(self.sequences):
            rows = np.stack([self._rows[place] for place in range(len(self.sequences))])
            self._loop.call_soon_threadsafe(self._settle, rows, None)

    def fail(self, refusal: Refusal) -> None:
        """No vectors will come."""
        self._loop.call_soon_threadsafe(self._settle, None, refusal)

    def abandon(self) -> None:
        """Nobody will look at `done` any more, whatever it says."""
        if not self.done.cancel() and not self.done.cancelled():
            self.done.exception()

    def _settle(self, vectors: Vectors | None, refusal: Refusal | None) -> None:
        if not self.started.done():
            self.started.set_result(None)
        if self.done.done():
            return
        if refusal is not None:
            self.done.set_exception(refusal)
        elif vectors is not None:
            self.done.set_result(vectors)
