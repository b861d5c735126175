"""Pure: bound a body and say so. Never cuts inside a code point; marks the cut within the bound."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

MARKER = "…"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A body as it is sent: `is_truncated` when anything is missing."""

    text: str
    is_truncated: bool


def excerpt(text: str, stored_chars: int, max_chars: int) -> Excerpt:
    """`text` (a prefix of a body of `stored_chars` code points) within `max_chars`, the marker included."""
    if stored_chars <= max_chars:
        return Excerpt(text, is_truncated=False)
    return Excerpt(text[: max_chars - len(MARKER)] + MARKER, is_truncated=True)


def wire_bytes(text: str) -> int:
    """UTF-8 bytes of `text` in an MCP answer: once in the structured content and once, escaped again, in its mirror."""
    encoded = orjson.dumps(text)
    return 2 * len(encoded) + encoded.count(b'"') + encoded.count(b"\\")


def within_bytes(body: Excerpt, max_bytes: int) -> Excerpt:
    """The longest start of `body` that costs at most `max_bytes` on the wire, by bisection."""
    if wire_bytes(body.text) <= max_bytes:
        return body
    low, high = 0, len(body.text) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if wire_bytes(body.text[:middle] + MARKER) <= max_bytes:
            low = middle
        else:
            high = middle - 1
    return Excerpt(body.text[:low] + MARKER, is_truncated=True)


def within_total_bytes(bodies: Sequence[Excerpt], room: int) -> list[Excerpt]:
    """Bodies that together cost at most `room` bytes: small ones stay whole, the others share what is left."""
    bounded = list(bodies)
    by_cost = sorted(range(len(bodies)), key=lambda position: wire_bytes(bodies[position].text))
    for done, position in enumerate(by_cost):
        share = max(0, room) // (len(bodies) - done)
        bounded[position] = within_bytes(bodies[position], share)
        room -= wire_bytes(bounded[position].text)
    return bounded
