"""What core asks of an embedding service."""

from dataclasses import dataclass
from typing import Protocol

Vector = list[float]
"""As many numbers as the model has dimensions, of unit length together."""


class EmbedderUnavailable(Exception):
    """No vectors now: down, overloaded, too late, or the answer was not usable. Never shown to a caller."""


class EmbeddingFailed(EmbedderUnavailable):
    """This very text has no usable vector; the service may serve other texts all the same."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The vector of a query by `model_name`; it says nothing beside vectors of another model, whatever their width."""

    model_name: str
    values: Vector


@dataclass(frozen=True, slots=True)
class DocumentVectors:
    """The vectors of one text by `model_name`, in reading order; `window_count` says how many a complete set has.

    `omitted_windows` counts the windows of a very long body beyond the service's bound: they have no vector at all.
    """

    model_name: str
    vectors: list[Vector]
    window_count: int
    omitted_windows: int


class Embedder(Protocol):
    """Text in, unit vectors out, within a deadline; every failure is `EmbedderUnavailable`."""

    @property
    def model_name(self) -> str:
        """The model whose vectors it gives."""
        ...

    @property
    def dimensions(self) -> int:
        """Their width."""
        ...

    def look_again(self) -> None:
        """Told when another model than this one's turns out to be active."""
        ...

    def speaking_for(self, model_name: str, dimensions: int) -> "Embedder":
        """An embedder for that very model; raises `EmbedderUnavailable` where this one knows no other."""
        ...

    @property
    def is_metered(self) -> bool:
        """Whether a call costs money, so that nothing may be sent before the caller is known to be admitted."""
        ...

    async def embed_query(self, query: str, *, timeout_s: float) -> QueryVector:
        """The vector of a search query."""
        ...

    async def embed_document(
        self, topic: str, content: str, *, timeout_s: float, first_window_only: bool, priority: str
    ) -> DocumentVectors:
        """The vectors of a memory: `priority` is `write` or `backfill`."""
        ...
