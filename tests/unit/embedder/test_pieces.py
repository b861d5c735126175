"""Tokenising: exact, uncut, and deaf to special pieces in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threengram.embedder.tokens import (
    DamagedFile,
    bundled_tokenizer,
    embedding_text,
    slices,
    text_pieces,
    verify,
)

TOKENIZER = bundled_tokenizer()
LONG_TEXTS = st.lists(
    st.sampled_from(["deploy ", "naïve\n", "数据库", "e\u0301clair", "ひらがな", " ", "!?", "x" * 40, "🙂", "한국어 "]),
    max_size=80,
).map("".join)


def test_a_long_text_is_never_truncated() -> None:
    ids, _ = TOKENIZER.pieces("word " * 5_000)
    assert len(ids) == 5_000


def test_special_pieces_written_in_a_text_are_ordinary_characters() -> None:
    ids, _ = TOKENIZER.pieces("[SEP] [CLS]")
    assert not {101, 102} & set(ids.tolist())


@given(text=LONG_TEXTS, slice_chars=st.integers(1, 50))
def test_slices_have_the_pieces_of_the_whole(text: str, slice_chars: int) -> None:
    whole, whole_starts = TOKENIZER.pieces(text)
    ids, starts = [], []
    for offset, part in slices(text, slice_chars):
        part_ids, part_starts = TOKENIZER.pieces(part)
        ids += part_ids.tolist()
        starts += [start + offset for start in part_starts.tolist()]
    assert (ids, starts) == (whole.tolist(), whole_starts.tolist())


def test_the_topic_stands_before_the_content_on_a_line_of_its_own() -> None:
    assert embedding_text("billing", "we use postgres") == "billing\nwe use postgres"
    assert embedding_text("", "we use postgres") == "we use postgres"


def test_prefix_and_context_end_where_their_characters_end() -> None:
    text = text_pieces(TOKENIZER, "query: ", "billing", "we use postgres")
    parts = [text.ids[: text.prefix], text.ids[text.prefix : text.head], text.ids[text.head :]]
    alone = [TOKENIZER.pieces(part)[0] for part in ("query:", "billing", "we use postgres")]
    assert [part.tolist() for part in parts] == [part.tolist() for part in alone]


def test_a_file_with_another_digest_is_refused() -> None:
    with pytest.raises(DamagedFile, match="vocab"):
        verify(b"something else", "0" * 64, "vocab")
