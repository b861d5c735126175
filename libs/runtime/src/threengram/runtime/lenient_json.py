"""JSON that is well formed and holds what no argument may: lone surrogates, and numbers that fit in no 64 bits.

The fast parser refuses such a body as a whole, which would leave the caller without a word about where to look. A
client that cuts a text in the middle of an emoji sends one.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from threengram.schema.errors import Issue, path_of

_SIGNED_MIN, _UNSIGNED_END = -(2**63), 2**64


def decoded(body: bytes) -> Any:
    """The value; raises `ValueError` for what is no JSON at all, or deeper than the interpreter goes."""
    try:
        return json.loads(body.decode(), parse_float=_finite, parse_constant=_refused)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def issue_of(value: object) -> Issue | None:
    """The first thing that can't be written as JSON in UTF-8 with numbers of 64 bits; None when nothing is."""
    try:
        return next(_issues(value, ()), None)
    except RecursionError:
        return None


def _issues(value: object, path: tuple[str | int, ...]) -> Iterator[Issue]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _issues(name, (*path, name))
            yield from _issues(member, (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _issues(member, (*path, index))
    elif isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        yield Issue(path_of(path), "text_surrogate", "Text must not contain lone surrogates")
    elif isinstance(value, int) and not _SIGNED_MIN <= value < _UNSIGNED_END:
        yield Issue(path_of(path), "number_range", "The number is out of range")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("beyond a double")
    return number


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
