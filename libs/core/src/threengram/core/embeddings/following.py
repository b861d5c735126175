"""An embedder that speaks for whatever model the database says is active, so that a switch needs no restart."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from threengram.core.db.database import Database
from threengram.core.embeddings.embedder import DocumentVectors, EmbedderUnavailable, QueryVector
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import ServingModel, serving_models
from threengram.core.errors import Unavailable


class FollowingEmbedder:
    """An `Embedder` behind a URL. The model is read before the first text, and again after a refusal, but at most once
    in `min_interval_s`: an outage must not turn into a query a call. Whoever saw another model in use makes it read at
    the next text.
    """

    def __init__(
        self,
        database: Database,
        base_url: str,
        *,
        headers: Callable[[], Mapping[str, str]],
        min_interval_s: float = 1.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._min_interval_s = min_interval_s
        self._monotonic = monotonic
        self._looked_at = -math.inf
        self._database = database
        self._base_url = base_url
        self._headers = headers
        self._current: HttpEmbedder | None = None
        self._embedders: dict[tuple[str, int], HttpEmbedder] = {}
        self._is_stale = True
        self._reading = asyncio.Lock()

    @property
    def model_name(self) -> str:
        """The model of the last answer; empty before the first."""
        return "" if self._current is None else self._current.model_name

    @property
    def dimensions(self) -> int:
        """The width of its vectors; 0 before the first answer."""
        return 0 if self._current is None else self._current.dimensions

    @property
    def is_metered(self) -> bool:
        """Whether a call costs money; taken to be so until the model is known."""
        return self._current is None or self._current.is_metered

    def look_again(self) -> None:
        """Somebody saw that another model is active now."""
        self._is_stale = True
        self._looked_at = -math.inf

    def speaking_for(self, model_name: str, dimensions: int) -> HttpEmbedder:
        """An embedder for the model that a call found active, which this one has not followed yet."""
        if (model_name, dimensions) != (self.model_name, self.dimensions):
            self.look_again()
        return self._embedder(ServingModel(model_name, dimensions, self.is_metered))

    async def embed_query(self, query: str, *, timeout_s: float) -> QueryVector:
        """The vector of a query."""
        with self._noticing_refusals():
            return await (await self._serving()).embed_query(query, timeout_s=timeout_s)

    async def embed_document(
        self, topic: str, content: str, *, timeout_s: float, first_window_only: bool, priority: str
    ) -> DocumentVectors:
        """The vectors of a memory."""
        with self._noticing_refusals():
            embedder = await self._serving()
            return await embedder.embed_document(
                topic, content, timeout_s=timeout_s, first_window_only=first_window_only, priority=priority
            )

    async def check(self) -> None:
        """Return when the service answers for the active model; raises `EmbedderUnavailable`."""
        await (await self._serving()).check()

    async def close(self) -> None:
        """Close every connection."""
        for embedder in self._embedders.values():
            await embedder.close()

    @contextmanager
    def _noticing_refusals(self) -> Iterator[None]:
        """A service that does not answer may have moved on to another model."""
        try:
            yield
        except EmbedderUnavailable:
            self._is_stale = True
            raise

    async def _serving(self) -> HttpEmbedder:
        if self._may_look():
            async with self._reading:
                if self._may_look():
                    await self._follow()
        if self._current is None:
            raise EmbedderUnavailable("no model is active")
        return self._current

    def _may_look(self) -> bool:
        return self._is_stale and self._monotonic() >= self._looked_at + self._min_interval_s

    async def _follow(self) -> None:
        try:
            models = await serving_models(self._database)
        except Unavailable as error:
            raise EmbedderUnavailable("the active model is not known") from error
        active = models[0] if models else None
        if active is not None:
            self._current = self._embedder(active)
        self._is_stale = active is None
        self._looked_at = self._monotonic()

    def _embedder(self, model: ServingModel) -> HttpEmbedder:
        """The one client for a model; it stays open, since calls may wait on it. There is a handful in a life."""
        key = (model.name, model.dimensions)
        if key not in self._embedders:
            self._embedders[key] = HttpEmbedder(
                self._base_url,
                model_name=model.name,
                dimensions=model.dimensions,
                is_metered=model.is_metered,
                headers=self._headers,
            )
        return self._embedders[key]
