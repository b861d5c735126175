"""Where windows wait and run: one lane, with its own queue and thread, for each priority.

A lane starts a run as soon as its thread is free. The lanes share the cores by operating system priority, so a query
takes its core from a long text in the middle of that text's run instead of waiting for the end of it.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from threengram.embedder.batching import RUN_BUDGET_PIECES, choose
from threengram.embedder.errors import DeadlinePassed, InferenceFailed, Overloaded, Unready
from threengram.embedder.model import ModelFailed, Vectors
from threengram.embedder.tickets import Ticket
from threengram.embedder.tokens import Ids
from threengram.runtime import metrics
from threengram.runtime.logging import get_logger
from threengram.runtime.telemetry import span_for
from threengram.schema.embedding import EmbeddingPriority

# Steps of `nice`. 5 gives a thread a third of the share of one at 0, 15 about a thirtieth.
NICENESS = {EmbeddingPriority.QUERY: 0, EmbeddingPriority.WRITE: 5, EmbeddingPriority.BACKFILL: 15}
MAX_RETRY_AFTER_S = 60
_FIRST_GUESS_PIECES_PER_S = 3_000.0

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    ticket: Ticket
    position: int
    queued_at: float

    @property
    def sequence(self) -> Ids:
        return self.ticket.sequences[self.position]


class Lane:
    """A bounded queue of windows and the thread that embeds them.

    `clock` is monotonic seconds; the deadlines of tickets are on it.
    """

    def __init__(
        self,
        priority: EmbeddingPriority,
        embed: Callable[[Sequence[Ids]], Vectors],
        *,
        max_queue_tokens: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.priority = priority
        self._embed = embed
        self._max_queue_tokens = max_queue_tokens
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: dict[int, _Waiting] = {}
        self._waiting_tokens = 0
        self._published = (0, 0)
        self._in_run: list[_Waiting] = []
        self._next_key = 0
        self._stopping = False
        self._pieces_per_s = _FIRST_GUESS_PIECES_PER_S
        self._thread = threading.Thread(target=self._serve, name=f"embed-{priority}", daemon=True)

    def start(self) -> None:
        """Begin to take work."""
        metrics.EMBEDDER_QUEUE_AGE.labels(self.priority).set_function(self.oldest_age_s)
        self._publish()
        self._thread.start()

    def stop(self) -> None:
        """Refuse what waits, finish the run in progress, end the thread. Blocks for that run."""
        self._refuse_everything()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def is_serving(self) -> bool:
        """Whether work that is submitted now will be done."""
        return self._thread.is_alive() and not self._stopping

    def submit(self, sequences: Sequence[Ids], expires_at: float | None) -> Ticket:
        """Queue the windows of one request. Raises `Overloaded` unless they fit or nothing else waits."""
        tokens = sum(map(len, sequences))
        ticket = Ticket(sequences, expires_at)
        with self._changed:
            if self._stopping:
                raise Unready("the service is stopping")
            if self._waiting and self._waiting_tokens + tokens > self._max_queue_tokens:
                raise Overloaded(self._retry_after_s())
            for position in range(len(sequences)):
                self._waiting[self._next_key] = _Waiting(ticket, position, self._clock())
                self._next_key += 1
            self._waiting_tokens += tokens
            self._publish()
            self._changed.notify()
        return ticket

    def withdraw(self, ticket: Ticket) -> None:
        """Nobody waits for this request any more: what has not run of it never will."""
        ticket.abandon()
        with self._changed:
            self._remove([key for key, entry in self._waiting.items() if entry.ticket is ticket])

    @property
    def waiting_tokens(self) -> int:
        """Pieces in the queue, not counting those in a run."""
        return self._waiting_tokens

    def oldest_age_s(self) -> float:
        """How long the oldest window has waited; 0 when none waits."""
        with self._changed:
            oldest = next(iter(self._waiting.values()), None)
            return 0.0 if oldest is None else self._clock() - oldest.queued_at

    def _serve(self) -> None:
        lower_thread_priority(NICENESS[self.priority])
        try:
            while batch := self._next_batch():
                self._in_run = batch
                self._run(batch)
                self._in_run = []
        finally:
            # Also when a defect ends the thread: then nobody waits for a lane that is gone, and readiness says so.
            self._refuse_everything(*self._in_run)

    def _refuse_everything(self, *also: _Waiting) -> None:
        with self._changed:
            self._stopping = True
            abandoned = self._remove(list(self._waiting))
            self._changed.notify()
        for ticket in {entry.ticket for entry in (*also, *abandoned)}:
            ticket.fail(Unready("the service is stopping"))

    def _next_batch(self) -> list[_Waiting]:
        """What to run next, in order; waits for work. Empty when the lane stops."""
        with self._changed:
            while not self._stopping:
                lengths = ((key, len(entry.sequence)) for key, entry in self._waiting.items())
                batch = self._remove(choose(lengths, RUN_BUDGET_PIECES[self.priority]))
                if live := self._without_expired(batch):
                    return live
                if not self._waiting:
                    self._changed.wait()
            return []

    def _without_expired(self, batch: list[_Waiting]) -> list[_Waiting]:
        now = self._clock()
        live = []
        for entry in batch:
            if entry.ticket.expires_at is not None and entry.ticket.expires_at <= now:
                entry.ticket.fail(DeadlinePassed())
            else:
                live.append(entry)
        return live

    def _run(self, batch: list[_Waiting]) -> None:
        started_at = self._clock()
        for entry in batch:
            metrics.EMBEDDER_QUEUE_WAIT.labels(self.priority).observe(started_at - entry.queued_at)
            entry.ticket.begin()
        sequences = [entry.sequence for entry in batch]
        traces = [ticket.trace for ticket in dict.fromkeys(entry.ticket for entry in batch)]
        tokens = sum(map(len, sequences))
        try:
            with span_for(traces, "embedder.batch", priority=self.priority, windows=len(batch), tokens=tokens):
                vectors = self._embed(sequences)
        except ModelFailed as error:
            _log.exception("inference_failed", error, priority=self.priority, batch_size=len(batch))
            for ticket in {entry.ticket for entry in batch}:
                ticket.fail(InferenceFailed())
            return
        self._account(len(sequences), tokens, self._clock() - started_at)
        for entry, vector in zip(batch, vectors, strict=True):
            entry.ticket.deliver(entry.position, vector)

    def _account(self, texts: int, tokens: int, duration_s: float) -> None:
        metrics.EMBEDDER_BATCH_TEXTS.observe(texts)
        metrics.EMBEDDER_BATCH_DURATION.observe(duration_s)
        metrics.EMBEDDER_TOKENS.inc(tokens)
        # A moving mean over about ten runs, for `Retry-After`.
        self._pieces_per_s += (tokens / max(duration_s, 1e-4) - self._pieces_per_s) / 10

    def _remove(self, keys: Sequence[int]) -> list[_Waiting]:
        entries = [self._waiting.pop(key) for key in keys]
        self._waiting_tokens -= sum(len(entry.sequence) for entry in entries)
        self._publish()
        return entries

    def _publish(self) -> None:
        """Add what has changed: the lanes of other models share the gauges."""
        texts, tokens = self._published
        self._published = (len(self._waiting), self._waiting_tokens)
        metrics.EMBEDDER_QUEUE_TEXTS.labels(self.priority).inc(self._published[0] - texts)
        metrics.EMBEDDER_QUEUE_TOKENS.labels(self.priority).inc(self._published[1] - tokens)

    def _retry_after_s(self) -> int:
        return min(MAX_RETRY_AFTER_S, 1 + int(self._waiting_tokens / self._pieces_per_s))


def lower_thread_priority(niceness: int) -> None:
    """Make the calling thread `niceness` steps nicer. Only Linux has a priority for each thread."""
    if sys.platform == "linux" and niceness:
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + niceness)
