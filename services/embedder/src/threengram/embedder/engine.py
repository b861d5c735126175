"""From a request to its vectors: prefixes, windows, cache, lane, deadline."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
from anyio import to_thread

from threengram.embedder.cache import QueryCache
from threengram.embedder.errors import ContextLengthExceeded, DeadlinePassed, InvalidInput
from threengram.embedder.model import Described, Vectors
from threengram.embedder.runner import Made, Runner
from threengram.embedder.settings import Settings
from threengram.embedder.tokens import Ids, embedding_text, text_pieces
from threengram.embedder.windows import Windows, cut
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.telemetry import span
from threengram.schema.embedding import EmbeddingPriority, EmbeddingRequest, WindowMode

# Tokenising this much takes one to three milliseconds; longer texts go to a thread.
INLINE_CHARS = 2_048


@dataclass(frozen=True, slots=True)
class Row:
    """One vector: of which input, of which of its windows, and how many windows that input has."""

    index: int
    window: int
    window_count: int
    omitted_windows: int
    vector: Vectors


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows by (index, window), and the pieces that a model run took or once took for them."""

    rows: tuple[Row, ...]
    tokens: int


class Engine:
    """One model, and the runner that turns its windows into vectors."""

    def __init__(self, model: Described, runner: Runner, settings: Settings) -> None:
        self.model = model
        self._runner = runner
        self._settings = settings
        self._cache = QueryCache(settings.query_cache_entries)
        self._tokenising = anyio.CapacityLimiter(1)

    def start(self) -> None:
        """Begin to take requests."""
        self._runner.start()

    async def stop(self) -> None:
        """Refuse what waits and end, once the runs in progress have."""
        await self._runner.stop()

    async def check(self) -> None:
        """Raise `Unready` where it can't take work."""
        self._runner.check()

    async def answer(self, request: EmbeddingRequest) -> Answer:
        """The vectors of a request. Raises a `Refusal`; cancelling it takes its windows out of the queue."""
        self._refuse_unservable(request)
        if request.deadline_ms is None:
            return await self._answer(request, None)
        timeout_s = request.deadline_ms / 1000
        try:
            async with deadline(timeout_s):
                return await self._answer(request, time.monotonic() + timeout_s)
        except DeadlineExceeded as error:
            raise DeadlinePassed from error

    def _refuse_unservable(self, request: EmbeddingRequest) -> None:
        if request.dimensions not in {None, self.model.dimensions}:
            raise InvalidInput(f"dimensions must be {self.model.dimensions}")
        limit = self._settings.max_text_chars
        for index, (context, text) in enumerate(request.texts()):
            if len(context) + len(text) > limit:
                raise InvalidInput(f"input[{index}] and its context have more than {limit} characters")

    async def _answer(self, request: EmbeddingRequest, expires_at: float | None) -> Answer:
        if request.priority is EmbeddingPriority.QUERY and request.windows is WindowMode.NONE:
            return await self._answer_queries(request, expires_at)
        texts = list(request.texts())
        plans = await self._windows(request, texts)
        pieces = [sequence for plan in plans for sequence in plan.pieces]
        made = await self._run(request, pieces, expires_at)
        vectors = iter(made.vectors)
        rows = tuple(
            Row(index, window, plan.count, plan.omitted, next(vectors))
            for index, plan in enumerate(plans)
            for window in range(len(plan.pieces))
        )
        return Answer(rows, sum(made.tokens))

    async def _answer_queries(self, request: EmbeddingRequest, expires_at: float | None) -> Answer:
        """Like `_answer` for texts of one window each, of which the recent ones are in the cache."""
        texts = list(request.texts())
        found = {index: self._cache.get(embedding_text(*text)) for index, text in enumerate(texts)}
        missing = [index for index, cached in found.items() if cached is None]
        vectors = {index: cached.vector for index, cached in found.items() if cached is not None}
        tokens = sum(cached.tokens for cached in found.values() if cached is not None)
        if missing:
            plans = await self._windows(request, [texts[index] for index in missing])
            pieces = [plan.pieces[0] for plan in plans]
            made = await self._run(request, pieces, expires_at)
            for index, vector, cost in zip(missing, made.vectors, made.tokens, strict=True):
                self._cache.put(embedding_text(*texts[index]), vector, cost)
                vectors[index] = vector
                tokens += cost
        return Answer(tuple(Row(index, 0, 1, 0, vectors[index]) for index in range(len(texts))), tokens)

    async def _windows(self, request: EmbeddingRequest, texts: Sequence[tuple[str, str]]) -> list[Windows]:
        """The windows of each text. Raises `ContextLengthExceeded`."""
        chars = sum(len(context) + len(text) for context, text in texts)
        with span("embedder.tokenize", texts=len(texts), text_chars=chars):
            if chars <= INLINE_CHARS:
                return self._cut(request, texts)
            return await to_thread.run_sync(self._cut, request, texts, abandon_on_cancel=True, limiter=self._tokenising)

    def _cut(self, request: EmbeddingRequest, texts: Sequence[tuple[str, str]]) -> list[Windows]:
        model, max_windows = self.model, self._settings.max_windows
        is_query = request.priority is EmbeddingPriority.QUERY
        prefix = model.query_prefix if is_query else model.document_prefix
        keep = max_windows if request.windows is WindowMode.ALL else 1
        window_pieces = model.whole_pieces if request.windows is WindowMode.NONE else model.window_pieces
        plans = []
        for index, (context, text) in enumerate(texts):
            pieces = text_pieces(model.tokenizer, prefix, context, text)
            plan = cut(pieces, model.tokenizer, window_pieces, keep=keep, max_windows=max_windows)
            if request.windows is WindowMode.NONE and plan.count + plan.omitted > 1:
                raise ContextLengthExceeded(
                    f"input[{index}] has {len(pieces.ids)} tokens, more than one window of {window_pieces};"
                    " ask for windows or shorten it"
                )
            plans.append(plan)
        return plans

    async def _run(self, request: EmbeddingRequest, pieces: Sequence[Ids], expires_at: float | None) -> Made:
        return await self._runner.run(request.priority, pieces, expires_at)
