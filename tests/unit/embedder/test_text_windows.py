"""No piece of a text is lost, whatever its length, its context and the model's window."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from threengram.embedder.tokens import TextPieces, bundled_tokenizer, text_pieces
from threengram.embedder.windows import Layout, cut

TOKENIZER = bundled_tokenizer()
MANY = 10_000


def stream(total: int, head: int) -> TextPieces:
    """A text whose pieces all differ."""
    return TextPieces(np.arange(1000, 1000 + total, dtype=np.int32), 0, head)


@given(total=st.integers(0, 5_000), head=st.integers(0, 600), window_pieces=st.sampled_from([32, 64, 256, 512]))
def test_every_piece_is_in_a_window_and_no_window_is_too_long(total: int, head: int, window_pieces: int) -> None:
    text = stream(total, min(head, total))
    windows = cut(text, TOKENIZER, window_pieces, keep=MANY, max_windows=MANY)
    covered = {int(piece) for window in windows.pieces for piece in window[1:-1]}
    assert covered == set(text.ids.tolist())
    assert max(len(window) for window in windows.pieces) <= window_pieces
    assert (windows.count, windows.omitted) == (len(windows.pieces), 0)


@given(total=st.integers(1, 20_000), head=st.integers(0, 600), capacity=st.integers(30, 510))
def test_windows_overlap_and_the_last_one_ends_the_text(total: int, head: int, capacity: int) -> None:
    layout = Layout(total, min(head, total), capacity)
    spans = [layout.span(window) for window in range(layout.count)]
    assert spans[0][0] == 0
    assert spans[-1][1] == total
    for (_, end), (start, next_end) in pairwise(spans):
        assert end - start == layout.overlap
        assert next_end > end


def test_a_text_that_fits_is_one_window_with_its_special_pieces() -> None:
    text = text_pieces(TOKENIZER, "", "billing", "we use postgres")
    (window,) = cut(text, TOKENIZER, 256, keep=MANY, max_windows=64).pieces
    assert window.tolist() == [101, *text.ids.tolist(), 102]


def test_the_context_is_repeated_at_the_start_of_every_window() -> None:
    text = stream(1_000, 10)
    windows = cut(text, TOKENIZER, 256, keep=MANY, max_windows=64)
    assert windows.count == 5
    assert all(window[1:11].tolist() == text.ids[:10].tolist() for window in windows.pieces)


def test_a_context_longer_than_a_window_is_covered_once_and_repeated_in_part() -> None:
    topic, content = "漢" * 256, "the deploy failed"
    text = text_pieces(TOKENIZER, "", topic, content)
    windows = cut(text, TOKENIZER, 256, keep=MANY, max_windows=64)
    first, second = windows.pieces
    assert text.head == 256
    assert len(first) == 256
    # [CLS], 64 repeated pieces, 32 of overlap, the last 2 of the topic, 3 of the content, [SEP].
    assert len(second) == 1 + 64 + 32 + 2 + 3 + 1
    assert second[-4:-1].tolist() == text.ids[-3:].tolist()


def test_the_instruction_of_a_model_starts_every_window() -> None:
    text = text_pieces(TOKENIZER, "passage: ", "", "word " * 600)
    windows = cut(text, TOKENIZER, 256, keep=MANY, max_windows=64)
    assert text.prefix == 2
    assert all(window[1:3].tolist() == text.ids[:2].tolist() for window in windows.pieces)


def test_windows_beyond_the_limit_are_counted_and_not_built() -> None:
    windows = cut(stream(50_000, 0), TOKENIZER, 256, keep=64, max_windows=64)
    assert (len(windows.pieces), windows.count) == (64, 64)
    assert windows.omitted == Layout(50_000, 0, 254).count - 64


def test_the_first_window_alone_knows_how_many_there_are() -> None:
    windows = cut(stream(1_000, 0), TOKENIZER, 256, keep=1, max_windows=64)
    assert (len(windows.pieces), windows.count, windows.omitted) == (1, 5, 0)
