"""How a long text becomes overlapping windows that a model can read.

The pieces of context and content form one stream. The first window holds as much of it as fits. Every later
window repeats the first pieces of the context and goes on in the stream a few pieces before the previous window
ended. So each piece of the stream, also of a context longer than a window, is in at least one window, the
context is known to every window, and a sentence on a border is whole in one of them.
"""

from dataclasses import dataclass

import numpy as np

from threengram.embedder.tokens import Ids, TextPieces, Tokenizer

MAX_OVERLAP_PIECES = 32
MAX_REPEATED_PIECES = 64


@dataclass(frozen=True, slots=True)
class Windows:
    """The first windows of a text, special pieces included; the text has `count` + `omitted` windows in all."""

    pieces: tuple[Ids, ...]
    count: int
    omitted: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where windows lie in a stream of `total` pieces of which the first `head` are context.

    `capacity` is what one window holds of it. A third of that bounds both the overlap and the repeated context, so
    that at least a third of every window is new text.
    """

    total: int
    head: int
    capacity: int

    @property
    def overlap(self) -> int:
        """Pieces that two neighbours share."""
        return min(MAX_OVERLAP_PIECES, self.capacity // 3)

    @property
    def repeated(self) -> int:
        """Pieces of the context at the start of every window but the first, which has them anyway."""
        return min(self.head, MAX_REPEATED_PIECES, self.capacity // 3)

    @property
    def step(self) -> int:
        """New pieces in every window but the first."""
        return self.capacity - self.repeated - self.overlap

    @property
    def count(self) -> int:
        """How many windows the stream needs; one even if it is empty."""
        beyond = max(0, self.total - self.capacity)
        return 1 + -(-beyond // self.step)

    def span(self, window: int) -> tuple[int, int]:
        """Start and end in the stream of a window, not counting the repeated context."""
        if window == 0:
            return 0, min(self.total, self.capacity)
        start = self.capacity - self.overlap + (window - 1) * self.step
        return start, min(self.total, start + self.step + self.overlap)


def layout_of(text: TextPieces, tokenizer: Tokenizer, window_pieces: int) -> Layout:
    """The layout of a text for windows of `window_pieces`, special pieces and instruction included."""
    fixed = len(tokenizer.lead) + text.prefix + len(tokenizer.trail)
    return Layout(len(text.ids) - text.prefix, text.head - text.prefix, window_pieces - fixed)


def cut(text: TextPieces, tokenizer: Tokenizer, window_pieces: int, *, keep: int, max_windows: int) -> Windows:
    """The first `keep` windows of a text that may have `max_windows`; the rest is counted, not built."""
    layout = layout_of(text, tokenizer, window_pieces)
    count = min(layout.count, max_windows)
    instruction, stream = text.ids[: text.prefix], text.ids[text.prefix :]
    built = []
    for window in range(min(keep, count)):
        start, end = layout.span(window)
        repeated = stream[: layout.repeated if window else 0]
        built.append(np.concatenate([tokenizer.lead, instruction, repeated, stream[start:end], tokenizer.trail]))
    return Windows(tuple(built), count, layout.count - count)
