"""Pure: bound a body and say so. Never cuts inside a character; marks the cut within the bound."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

MARKER = "…"
_JOINER = "\u200d"
_VIRAMA = 9
"""The combining class of signs that join two letters of a script of India."""
_MAX_BACK = 32
"""Code points of one character; a text that piles up more of them is cut inside."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A body as it is sent: `is_truncated` when anything is missing."""

    text: str
    is_truncated: bool


def excerpt(text: str, stored_chars: int, max_chars: int) -> Excerpt:
    """`text` (a prefix of a body of `stored_chars` code points) within `max_chars`, the marker included."""
    if stored_chars <= max_chars:
        return Excerpt(text, is_truncated=False)
    return Excerpt(_start(text, max_chars - len(MARKER)) + MARKER, is_truncated=True)


def _start(text: str, end: int) -> str:
    """At most `end` code points of `text`, and none of them a part of a character (as UAX 29 breaks them, roughly)."""
    for place in range(end, max(0, end - _MAX_BACK), -1):
        if not _is_inside(text, place):
            return text[:place]
    return text[:end]


def _is_inside(text: str, place: int) -> bool:
    """Whether a cut before `place` would part a mark, a modifier, a joined emoji or a flag from what it belongs to."""
    if place >= len(text):
        return False
    before, after = text[place - 1], text[place]
    if _JOINER in (before, after) or unicodedata.category(after)[0] == "M" or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if unicodedata.combining(before) == _VIRAMA and after.isalpha():
        return True
    return _is_flag_half(after) and _flag_halves_before(text, place) % 2 == 1


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, place: int) -> int:
    start = place
    while start > 0 and _is_flag_half(text[start - 1]):
        start -= 1
    return place - start


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
    return Excerpt(_start(body.text, low) + MARKER, is_truncated=True)


def within_total_bytes(bodies: Sequence[Excerpt], room: int) -> list[Excerpt]:
    """Bodies that together cost at most `room` bytes: small ones stay whole, the others share what is left."""
    bounded = list(bodies)
    by_cost = sorted(range(len(bodies)), key=lambda position: wire_bytes(bodies[position].text))
    for done, position in enumerate(by_cost):
        share = max(0, room) // (len(bodies) - done)
        bounded[position] = within_bytes(bodies[position], share)
        room -= wire_bytes(bounded[position].text)
    return bounded
