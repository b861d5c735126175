"""How far a walk along the index looks around."""

import pytest

from threengram.core.search.queries import walking


@pytest.mark.parametrize(
    ("memory_count", "beam"), [(4_001, 40), (10_000, 40), (10_120, 41), (50_000, 373), (100_000, 790), (5_000_000, 800)]
)
def test_a_walk_looks_further_around_the_more_memories_there_are(memory_count: int, beam: int) -> None:
    assert walking(memory_count).parameters == {"beam": beam}
