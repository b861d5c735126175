"""Windows through a gateway: batched, retried within a deadline, and left alone while it is down."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence

import numpy as np

from threengram.embedder.breaker import Breaker
from threengram.embedder.declarations import GatewayDeclaration
from threengram.embedder.errors import DeadlinePassed, GatewayFailed, InvalidInput, Overloaded
from threengram.embedder.gateway import CallFailed, Embedded, Gateway, TextRefused
from threengram.embedder.runner import Made
from threengram.embedder.settings import Settings
from threengram.embedder.tokens import Ids, Tokenizer
from threengram.runtime import metrics
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.logging import get_logger
from threengram.runtime.telemetry import span
from threengram.schema.embedding import EmbeddingPriority

FIRST_BACKOFF_S = 0.25
MAX_BACKOFF_S = 8.0
WAITING_PER_CONNECTION = 16
CHARS_PER_TOKEN = 4
_log = get_logger(__name__)


class Characters:
    """A tokenizer whose pieces are the characters of the text as written."""

    lead: Ids = np.array([], np.int32)
    trail: Ids = np.array([], np.int32)

    def pieces(self, text: str) -> tuple[Ids, Ids]:
        """Code points, and their places."""
        points = np.frombuffer(text.encode("utf-32-le"), dtype="<i4")
        return points, np.arange(len(points), dtype=np.int32)


class GatewayModel:
    """The description of a model elsewhere, as declared; its pieces are characters."""

    def __init__(self, declaration: GatewayDeclaration) -> None:
        self.name = declaration.name
        self.dimensions = declaration.dimensions
        self.window_pieces = declaration.window_chars
        # A query is as long as a search allows, whatever stands in front of it.
        self.whole_pieces = declaration.window_chars + len(declaration.query_prefix)
        self.query_prefix = declaration.query_prefix
        self.document_prefix = declaration.document_prefix
        self.tokenizer: Tokenizer = Characters()


class GatewayRunner:
    """Calls to one gateway. Backfill has connections of its own, so that a query never waits for it."""

    def __init__(
        self,
        gateway: Gateway,
        settings: Settings,
        *,
        breaker: Breaker | None = None,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gateway = gateway
        self._settings = settings
        self._breaker = breaker or Breaker()
        self._jitter = jitter
        self._clock = clock
        connections = settings.openai_connections
        self._foreground = asyncio.Semaphore(connections)
        self._background = asyncio.Semaphore(connections)
        self._unfinished = 0

    def start(self) -> None:
        """Nothing to start: connections open with the first call."""

    async def stop(self) -> None:
        """Close the connections."""
        await self._gateway.close()

    def check(self) -> None:
        """Always able to take work: whether the gateway answers is seen by those who ask."""

    async def run(self, priority: EmbeddingPriority, windows: Sequence[Ids], expires_at: float | None) -> Made:
        """The vectors of the windows, in calls of a bounded number of texts."""
        size = self._settings.openai_batch_texts
        batches = [windows[start : start + size] for start in range(0, len(windows), size)]
        if self._unfinished and self._unfinished + len(batches) > self._most_unfinished():
            raise Overloaded(1)
        self._unfinished += len(batches)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._batch(priority, batch, expires_at)) for batch in batches]
        except* (InvalidInput, GatewayFailed, DeadlinePassed, Overloaded) as refusals:
            raise _first(refusals) from None
        finally:
            self._unfinished -= len(batches)
        made = [task.result() for task in tasks]
        return Made(np.concatenate([one.vectors for one in made]), [count for one in made for count in one.tokens])

    def _most_unfinished(self) -> int:
        return WAITING_PER_CONNECTION * self._settings.openai_connections

    async def _batch(self, priority: EmbeddingPriority, windows: Sequence[Ids], expires_at: float | None) -> Made:
        texts = [np.asarray(window, "<i4").tobytes().decode("utf-32-le") for window in windows]
        timeout_s = self._settings.openai_timeout_s
        if expires_at is not None:
            timeout_s = min(timeout_s, expires_at - self._clock())
        slots = self._background if priority is EmbeddingPriority.BACKFILL else self._foreground
        chars = sum(map(len, texts))
        with span("embedder.model", priority=priority, windows=len(texts), text_chars=chars):
            try:
                async with deadline(timeout_s), slots:
                    embedded = await self._tried(texts, self._clock() + timeout_s)
            except DeadlineExceeded as error:
                self._breaker.fail()
                raise DeadlinePassed from error
        tokens = _shared_out(embedded, texts)
        metrics.EMBEDDER_BATCH_TEXTS.observe(len(texts))
        metrics.EMBEDDER_TOKENS.inc(sum(tokens))
        return Made(embedded.vectors, tokens)

    async def _tried(self, texts: Sequence[str], give_up_at: float) -> Embedded:
        """One call, and more after failures that may pass. Raises `InvalidInput` or `GatewayFailed`."""
        for attempt in range(1, self._settings.openai_tries + 1):
            if pause_s := self._breaker.wait_s():
                raise GatewayFailed("the gateway is left alone", retry_after_s=pause_s)
            try:
                embedded = await self._gateway.embed(texts)
            except TextRefused as error:
                self._breaker.succeed()
                raise InvalidInput(f"the gateway refused the texts with status {error.status}") from error
            except CallFailed as error:
                self._breaker.fail()
                _log.warning("gateway_call_failed", reason=str(error), attempt=attempt)
                wait_s = self._wait_s(attempt, error)
                if attempt == self._settings.openai_tries or not error.may_pass or self._clock() + wait_s >= give_up_at:
                    raise GatewayFailed("the gateway failed", retry_after_s=error.retry_after_s) from error
                await asyncio.sleep(wait_s)
            else:
                self._breaker.succeed()
                return embedded
        raise AssertionError("unreachable")

    def _wait_s(self, attempt: int, error: CallFailed) -> float:
        """What the gateway asks for, or a random part of a bound that doubles (full jitter)."""
        if error.retry_after_s is not None:
            return error.retry_after_s
        return self._jitter() * min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2.0 ** (attempt - 1))


def _shared_out(embedded: Embedded, texts: Sequence[str]) -> list[int]:
    """The tokens of each text: its share of what the gateway counted, or an estimate."""
    lengths = [max(1, len(text)) for text in texts]
    if embedded.tokens is None:
        return [-(-length // CHARS_PER_TOKEN) for length in lengths]
    bounds = np.rint(np.cumsum([0, *lengths]) * embedded.tokens / sum(lengths)).astype(int)
    return [int(count) for count in np.diff(bounds)]


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
