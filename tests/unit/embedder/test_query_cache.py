"""The query cache: bounded, least recently used out first."""

import numpy as np

from threengram.embedder.cache import QueryCache

VECTOR = np.ones(4, np.float32)


def test_the_least_recently_used_entry_goes_first() -> None:
    cache = QueryCache(2)
    cache.put("a", VECTOR, 3)
    cache.put("b", VECTOR, 3)
    assert cache.get("a") is not None
    cache.put("c", VECTOR, 3)
    assert cache.get("b") is None
    found = cache.get("a")
    assert found is not None
    assert (found.vector.tolist(), found.tokens) == (VECTOR.tolist(), 3)


def test_zero_entries_turn_it_off() -> None:
    cache = QueryCache(0)
    cache.put("a", VECTOR, 3)
    assert cache.get("a") is None
    assert len(cache) == 0
