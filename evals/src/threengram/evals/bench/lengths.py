"""Texts of an exact length in word pieces, for the figures of the embedder."""

import random
from collections.abc import Sequence

from threengram.embedder.tokens import Tokenizer, bundled_tokenizer
from threengram.evals.bench.corpus import generated
from threengram.schema.bounds import MAX_CONTENT_CHARS

TEXTS = 200
_WORDS = 400


def texts_of(pieces: int) -> list[str]:
    """Distinct texts of `pieces` word pieces, the two special ones included."""
    tokenizer = bundled_tokenizer()
    chance = random.Random(pieces)  # noqa: S311 - reproducible on purpose
    words = " ".join(text.content for text in generated(_WORDS, seed=3)).split()
    return [_grown(tokenizer, words, pieces, chance) for _ in range(TEXTS)]


def texts_of_full_size() -> list[str]:
    """Distinct texts of as many characters as a memory may have."""
    chance = random.Random(4)  # noqa: S311 - reproducible on purpose
    sentences = [text.content for text in generated(_WORDS, seed=4)]
    return [" ".join(chance.sample(sentences, 40))[:MAX_CONTENT_CHARS].strip() for _ in range(TEXTS)]


def _grown(tokenizer: Tokenizer, words: Sequence[str], pieces: int, chance: random.Random) -> str:
    special = len(tokenizer.lead) + len(tokenizer.trail)
    text = " ".join(chance.choices(words, k=pieces))
    _, starts = tokenizer.pieces(text)
    return text[: int(starts[pieces - special])].strip() if len(starts) > pieces - special else text
