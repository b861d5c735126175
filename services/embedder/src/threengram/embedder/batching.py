"""Which waiting windows run together.

The cost of a run is its longest member times its size, because shorter members are padded. Measured with the bundled
model on one thread, a piece costs 330 µs alone in a short text and 215 to 230 µs in any run of 64 pieces or more, so
large runs only add waiting. A run therefore takes windows of one length bucket up to a small budget.
"""

from collections.abc import Iterable, Mapping

from threengram.schema.embedding import EmbeddingPriority

# Padded pieces per run. A run of 128 takes about 30 ms, one of 256 about 70 ms: a searcher waits for one of the former.
RUN_BUDGET_PIECES: Mapping[EmbeddingPriority, int] = {
    EmbeddingPriority.QUERY: 128,
    EmbeddingPriority.WRITE: 256,
    EmbeddingPriority.BACKFILL: 256,
}
_SMALLEST_BUCKET = 16


def bucket(length: int) -> int:
    """The smallest power of two, at least 16, that holds `length`: members of one bucket differ less than twofold."""
    return max(_SMALLEST_BUCKET, 1 << (length - 1).bit_length())


def choose(waiting: Iterable[tuple[int, int]], budget: int) -> list[int]:
    """Keys of the windows to run next, given (key, length) oldest first.

    The oldest always runs, alone if it exceeds the budget; younger ones of its bucket join while everything padded to
    the longest stays within the budget. Nothing that is waiting can be overtaken for ever.
    """
    chosen: list[int] = []
    wanted = longest = 0
    for key, length in waiting:
        if not chosen:
            wanted = bucket(length)
        if bucket(length) != wanted:
            continue
        padded = max(longest, length) * (len(chosen) + 1)
        if chosen and padded > budget:
            break
        chosen.append(key)
        longest = max(longest, length)
    return chosen
