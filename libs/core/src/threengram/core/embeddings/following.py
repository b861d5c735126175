"""An embedder that speaks for whatever model the database says is active, so that a switch needs no restart."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from threengram.core.db.database import Database
from threengram.core.embeddings.embedder import DocumentVectors, EmbedderUnavailable, Vector
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import serving_models
from threengram.core.errors import Unavailable


class FollowingEmbedder:
    """An `Embedder` behind a URL. The model is read before the first text, and again after a refusal or `look_again`,
    but at most once in `min_interval_s`: an outage must not turn into a query a call.
    """

    is_metered = False

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
        self._former: list[HttpEmbedder] = []
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

    def look_again(self) -> None:
        """Somebody saw that another model is active now."""
        self._is_stale = True

    async def embed_query(self, query: str, *, timeout_s: float) -> Vector:
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
        for embedder in (self._current, *self._former):
            if embedder is not None:
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
        if active is not None and active.name != self.model_name:
            # Kept open, since another call may be waiting for an answer on it; a process sees a handful in its life.
            if self._current is not None:
                self._former.append(self._current)
            self._current = HttpEmbedder(
                self._base_url, model_name=active.name, dimensions=active.dimensions, headers=self._headers
            )
        self._is_stale = active is None
        self._looked_at = self._monotonic()
