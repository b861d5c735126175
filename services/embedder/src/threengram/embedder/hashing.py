"""Vectors from hashed character n-grams: deterministic, instant, no model. For tests and demonstrations only.

Texts that share words, word stems or ideographs are near each other; synonyms are not. A piece is a code point of
the case-folded text, which makes windows work as they do for a real model.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from threengram.embedder.tokens import Ids, Tokenizer

DIMENSIONS = 384
WINDOW_PIECES = 1024
_WORD = re.compile(r"\w+")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_SHORT_WORD_CHARS = 3
_SHORT_WORD_WEIGHT = 0.3
_WHOLE_WORD_WEIGHT = 2.0


class CodePointTokenizer:
    """Every character is a piece; there are no special pieces."""

    lead: Ids = np.array([], np.int32)
    trail: Ids = np.array([], np.int32)

    def pieces(self, text: str) -> tuple[Ids, Ids]:
        """Code points of the case-folded text, and the character each comes from."""
        folded = [(ord(part), place) for place, char in enumerate(text) for part in char.casefold()]
        columns = np.array(folded, np.int32).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]


class HashingModel:
    """Adds a signed unit per feature, the sign and place taken from the feature's CRC-32."""

    window_pieces = WINDOW_PIECES
    whole_pieces = WINDOW_PIECES
    query_prefix = ""
    document_prefix = ""

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.name = f"hash-{dimensions}"
        self.dimensions = dimensions
        self.tokenizer: Tokenizer = CodePointTokenizer()

    def embed(self, sequences: Sequence[Ids]) -> NDArray[np.float32]:
        """Unit vectors, one row per sequence."""
        return np.stack([_vector("".join(map(chr, sequence)), self.dimensions) for sequence in sequences])


def _vector(text: str, dimensions: int) -> NDArray[np.float32]:
    vector = np.zeros(dimensions, np.float64)
    counts = Counter(_WORD.findall(text))
    for word, count in counts.items():
        weight = math.sqrt(count) * (_SHORT_WORD_WEIGHT if _is_short(word) else 1.0)
        for feature, feature_weight in _features(word):
            digest = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
            vector[(digest >> 1) % dimensions] += weight * feature_weight * (1 if digest & 1 else -1)
    length = float(np.linalg.norm(vector))
    if length == 0:
        # Only punctuation, or features that cancel out: any fixed direction will do.
        vector[0] = length = 1.0
    return (vector / length).astype(np.float32)


def _is_short(word: str) -> bool:
    return len(word) <= _SHORT_WORD_CHARS and not _IDEOGRAPH.search(word)


def _features(word: str) -> Iterator[tuple[str, float]]:
    """The word, its parts, and how much each counts: pairs in a script without spaces, otherwise triples."""
    yield word, _WHOLE_WORD_WEIGHT
    size = 2 if _IDEOGRAPH.search(word) else 3
    padded = word if size == 2 else f"<{word}>"
    for start in range(len(padded) - size + 1):
        yield padded[start : start + size], 1.0
