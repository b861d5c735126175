"""JSON that is well formed and holds what no argument may: lone surrogates, numbers that fit in no 64 bits, and objects
with two members of one name.

The fast parser refuses a body with one of the former as a whole, which would leave the caller without a word about
where to look; a client that cuts a text in the middle of an emoji sends one. Of the latter it keeps the last member, so
that whoever looked at the first one let through what was not looked at (RFC 8259, section 4).
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from threengram.schema.errors import Issue, path_of

_SIGNED_MIN, _UNSIGNED_END = -(2**63), 2**64
_MEMBER = re.compile(rb'"[ \t\r\n]*:')


class _Repeated(Exception):
    """An object has two members of this name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


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


def repeated_of(body: bytes, value: object) -> Issue | None:
    """The first member that an object of a body repeats; None when none does. `value` is what the body decodes to."""
    if len(_MEMBER.findall(body)) == _members(value):
        return None
    # Or a text holds what looks like a member.
    try:
        json.loads(body, object_pairs_hook=_once)
    except _Repeated as repeated:
        return Issue(path_of((repeated.name,)), "member_repeated", "One object has this member more than once")
    except (ValueError, RecursionError):
        return None
    return None


def _members(value: object) -> int:
    """How many members all objects of a value have."""
    total, left = 0, [value]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            total += len(part)
            left += part.values()
        elif isinstance(part, list):
            left += part
    return total


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise _Repeated(name)
        members[name] = value
    return members


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
