"""Which windows run together: similar lengths, within the budget, oldest first."""

from hypothesis import given
from hypothesis import strategies as st

from threengram.embedder.batching import bucket, choose

LENGTHS = st.lists(st.integers(1, 512), max_size=60)


@given(lengths=LENGTHS, budget=st.integers(1, 512))
def test_a_run_never_mixes_buckets_nor_exceeds_its_budget(lengths: list[int], budget: int) -> None:
    chosen = [lengths[key] for key in choose(enumerate(lengths), budget)]
    assert len({bucket(length) for length in chosen}) <= 1
    assert len(chosen) <= 1 or max(chosen) * len(chosen) <= budget


@given(lengths=LENGTHS.filter(bool), budget=st.integers(1, 512))
def test_the_oldest_window_always_runs(lengths: list[int], budget: int) -> None:
    assert choose(enumerate(lengths), budget)[0] == 0


def test_a_short_text_is_not_padded_to_a_long_window() -> None:
    assert choose(enumerate([256, 10, 240, 12]), 512) == [0, 2]
    assert choose(enumerate([10, 256, 12]), 512) == [0, 2]


def test_nothing_waiting_is_an_empty_run() -> None:
    assert choose([], 128) == []
