"""The vectors of recent queries, in this process only."""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

from threengram.embedder.model import Vectors
from threengram.runtime import metrics


@dataclass(frozen=True, slots=True)
class CachedQuery:
    """A vector of shape (dimensions,) and what it cost in pieces."""

    vector: Vectors
    tokens: int


class QueryCache:
    """Least recently used out first, at most `entries`, off with 0. Keys are digests, so it holds no text."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._cached: OrderedDict[bytes, CachedQuery] = OrderedDict()

    def __len__(self) -> int:
        return len(self._cached)

    def get(self, text: str) -> CachedQuery | None:
        """The entry of a text, which becomes the most recent."""
        if not self._entries:
            return None
        key = _key(text)
        found = self._cached.get(key)
        metrics.EMBEDDER_CACHE.labels("miss" if found is None else "hit").inc()
        if found is not None:
            self._cached.move_to_end(key)
        return found

    def put(self, text: str, vector: Vectors, tokens: int) -> None:
        """Remember a vector, forgetting the least recently used one if it is one too many."""
        if not self._entries:
            return
        # A copy: a row is a view that would keep the vectors of its whole batch alive.
        self._cached[_key(text)] = CachedQuery(vector.copy(), tokens)
        if len(self._cached) > self._entries:
            self._cached.popitem(last=False)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
