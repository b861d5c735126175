"""JSON that is well formed and holds what no argument may: lone surrogates, and numbers beyond 64 bits.

The fast parser refuses such a body as a whole, which would leave the caller without the id of its call and without a
word about where to look. A client that cuts a text in the middle of an emoji sends one.
"""

import json
from collections.abc import Iterator
from typing import Any

import orjson

from threengram.schema.errors import Issue, path_of

_SURROGATE = Issue("", "text_surrogate", "Text must not contain lone surrogates")
_NUMBER = Issue("", "number_range", "The number is out of range")


def tool_call(body: bytes) -> dict[str, Any] | None:
    """The message, when it is a tool call in which nothing but the arguments is odd; else None."""
    try:
        message = json.loads(body.decode(), parse_float=_finite, parse_constant=_refused)
        if message["method"] != "tools/call":
            return None
        orjson.dumps({**message, "params": {**message["params"], "arguments": None}})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return dict(message)


def issue_of(arguments: object) -> Issue | None:
    """The first thing in the arguments that can't be written as JSON in UTF-8; None when it is only their depth."""
    try:
        return next(_issues(arguments, ()), None)
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
        yield Issue(path_of(path), _SURROGATE.code, _SURROGATE.message)
    elif isinstance(value, int) and not -(2**63) <= value < 2**64:
        yield Issue(path_of(path), _NUMBER.code, _NUMBER.message)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("beyond a double")
    return number


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
