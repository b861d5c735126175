"""What a cursor carries, and how much of a reader's context it costs."""

import random
from uuid import uuid4

import pytest

from threengram.core.cursor import CursorSealer, RankedRest
from threengram.core.errors import InvalidCursor

SEALER = CursorSealer(b"k" * 32)
TENANT, QUERY = uuid4(), b"q" * 32


def carried(rest: RankedRest) -> tuple[str, RankedRest | None]:
    cursor = SEALER.seal(TENANT, QUERY, rest)
    return cursor, SEALER.resume(RankedRest, TENANT, QUERY, cursor)


def test_a_ranking_comes_back_with_its_scores_as_they_are_shown() -> None:
    rest = RankedRest((7, 2**31 - 1, 1, 128), (3.07654321, 0.29286, 0.0, -4.78125))
    _, found = carried(rest)
    assert found == RankedRest(rest.numbers, (3.0765, 0.2929, 0.0, -4.7812))


def test_an_empty_ranking_comes_back_empty() -> None:
    assert carried(RankedRest((), ()))[1] == RankedRest((), ())


@pytest.mark.parametrize(("memories", "most_chars"), [(100, 220), (10_000, 300), (1_000_000, 360)])
def test_the_rest_of_a_ranking_is_a_few_hundred_characters(memories: int, most_chars: int) -> None:
    """A model reads the cursor with every page of hits, wanted or not."""
    draw = random.Random(memories)
    scores = sorted((draw.uniform(0, 2.5) for _ in range(50)), reverse=True)
    numbers = draw.sample(range(memories), 50)
    cursor, found = carried(RankedRest(tuple(numbers), tuple(scores)))
    assert found is not None
    assert found.numbers == tuple(numbers)
    assert len(cursor) <= most_chars


def test_a_cursor_of_another_kind_is_invalid_and_not_misread() -> None:
    payload = b"?" + b"\x01" * 24
    sealed = SEALER._sealed(TENANT, QUERY, payload)
    with pytest.raises(InvalidCursor):
        SEALER.open(TENANT, QUERY, sealed)
