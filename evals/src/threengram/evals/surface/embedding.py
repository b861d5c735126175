"""Texts as vectors of the bundled model, by the code that serves them."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from threengram.embedder.model import OnnxModel
from threengram.embedder.spec import bundled
from threengram.embedder.tokens import text_pieces
from threengram.embedder.windows import cut


class TooLong(Exception):
    """A text does not fit into what the model reads whole, so that its end would not count."""


@cache
def _model() -> OnnxModel:
    return OnnxModel(bundled(), threads=1)


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """One unit vector for each text. Raises `TooLong`."""
    return np.concatenate([_embedded(text) for text in texts])


def _embedded(text: str) -> NDArray[np.float32]:
    # One run each: padding within a batch changes the last digits of quantised weights' results.
    model = _model()
    pieces = text_pieces(model.tokenizer, model.document_prefix, "", text)
    windows = cut(pieces, model.tokenizer, model.whole_pieces, keep=1, max_windows=2)
    if windows.count > 1:
        raise TooLong(f"{text[:40]!r}… has {len(pieces.ids)} pieces")
    return model.embed(windows.pieces)
