"""Text as the numbered pieces of a model's vocabulary, without ever cutting it.

Owns the joining of topic and content, and the special pieces around a sequence; how a long sequence
becomes windows is `windows`.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding
from tokenizers import Tokenizer as FastTokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

Ids = NDArray[np.int32]

VOCABULARY_FILE = "all-minilm-l6-v2.vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

# A tokenizer keeps about 500 bytes a piece while it works; slices bound that, and how long it works in one go.
SLICE_CHARS = 16_384
# So little takes some 50 microseconds: releasing the interpreter lock for it and waiting to get it back takes longer.
QUICK_CHARS = 512
# Both kinds of place where a slice may end without changing a piece: before white space, and before an ideograph,
# which a BERT tokenizer always makes a word of its own.
_SAFE_CUT = re.compile(r"(?=[\s\u4e00-\u9fff\u3400-\u4dbf])")


_UNKNOWN = "[UNK]"


class DamagedFile(Exception):
    """A model file is not the one this release was built with."""


@dataclass(frozen=True, slots=True)
class TextPieces:
    """One text as pieces.

    `ids[:prefix]` are the model's instruction, `ids[prefix:head]` the context, the rest is content.
    """

    ids: Ids
    prefix: int
    head: int


class Tokenizer(Protocol):
    """Turns text into pieces; `lead` and `trail` are the special pieces around every sequence."""

    lead: Ids
    trail: Ids

    def pieces(self, text: str) -> tuple[Ids, Ids]:
        """Ids of all pieces of `text`, and the character at which each begins; no special pieces."""
        ...


def embedding_text(context: str, content: str) -> str:
    """What is embedded for a memory: its topic, a line break, its content."""
    return f"{context}\n{content}" if context else content


def text_pieces(tokenizer: Tokenizer, prefix: str, context: str, content: str) -> TextPieces:
    """All pieces of a text, and where prefix and context end.

    The joined text is tokenised once, so that a piece is the same in every window it is in.
    """
    ids, starts = tokenizer.pieces(prefix + embedding_text(context, content))
    head_chars = len(prefix) + (len(context) + 1 if context else 0)
    prefix_end, head_end = np.searchsorted(starts, [len(prefix), head_chars])
    return TextPieces(ids, int(prefix_end), int(head_end))


def slices(text: str, slice_chars: int) -> Iterator[tuple[int, str]]:
    """`text` in parts of about `slice_chars`, each with its offset; their pieces are those of the whole text."""
    start = 0
    while len(text) - start > slice_chars:
        cut = _SAFE_CUT.search(text, start + slice_chars)
        if cut is None:
            break
        yield start, text[start : cut.start()]
        start = cut.start()
    yield start, text[start:]


class SubwordTokenizer:
    """A tokenizer of the `tokenizers` library with cutting and padding off."""

    def __init__(self, tokenizer: FastTokenizer) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        # A text that says "[SEP]" means five characters, not the end of the sequence.
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer
        sample = tokenizer.encode("a", add_special_tokens=True)
        ordinary = [place for place, special in enumerate(sample.special_tokens_mask) if not special]
        self.lead: Ids = np.array(sample.ids[: ordinary[0]], np.int32)
        self.trail: Ids = np.array(sample.ids[ordinary[-1] + 1 :], np.int32)

    def pieces(self, text: str) -> tuple[Ids, Ids]:
        """Ids and character offsets of all pieces; other threads run meanwhile."""
        ids: list[Ids] = []
        starts: list[Ids] = []
        for offset, part in slices(text, SLICE_CHARS):
            encoding = self._encode(part)
            ids.append(np.array(encoding.ids, np.int32))
            starts.append(np.array([start + offset for start, _ in encoding.offsets], np.int32))
        return np.concatenate(ids), np.concatenate(starts)

    def _encode(self, text: str) -> Encoding:
        if len(text) <= QUICK_CHARS:
            return self._tokenizer.encode(text, add_special_tokens=False)
        # Unlike `encode`, the batch call releases the interpreter lock.
        return self._tokenizer.encode_batch([text], add_special_tokens=False)[0]


def bundled_tokenizer() -> SubwordTokenizer:
    """The lower-casing WordPiece tokenizer of all-MiniLM-L6-v2. Raises `DamagedFile`."""
    data = resources.files("threengram.embedder").joinpath("data", VOCABULARY_FILE).read_bytes()
    verify(data, VOCABULARY_SHA256, VOCABULARY_FILE)
    vocabulary = {piece: number for number, piece in enumerate(data.decode().splitlines())}
    tokenizer = FastTokenizer(WordPiece(vocabulary, unk_token=_UNKNOWN, max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    return SubwordTokenizer(tokenizer)


def tokenizer_from_file(path: Path) -> SubwordTokenizer:
    """The tokenizer described by a `tokenizer.json`."""
    return SubwordTokenizer(FastTokenizer.from_file(str(path)))


def verify(data: bytes, sha256: str, name: str) -> None:
    """Raise `DamagedFile` unless `data` has the digest."""
    if hashlib.sha256(data).hexdigest() != sha256:
        raise DamagedFile(f"{name} does not have the expected sha256")
