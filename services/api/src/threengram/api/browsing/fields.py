"""Fields of forms as arguments of core's verbs, and what is wrong with them in words that stand beside a field."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

import orjson
from pydantic import ValidationError

from threengram.schema.base import Input
from threengram.schema.errors import issues_of

In = TypeVar("In", bound=Input)
Problems = Mapping[str, str]
"""By field of the form; the empty name is the form itself."""

EMPTY: Final = "This can't be empty."
_WORDS: Final = {
    "string_too_short": EMPTY,
    "missing": EMPTY,
    "enum": "Choose one of the list.",
    "string_pattern_mismatch": "A scope has small letters, digits and hyphens, and begins with a letter or digit.",
    "text_nul": "There is a character in this that can't be stored.",
    **dict.fromkeys(
        ("instant_format", "instant_range", "instant_naive", "instant_precision"), "There is no such date or time."
    ),
}


class Unacceptable(Exception):
    """A form that can't be used as it is."""

    def __init__(self, problems: Problems) -> None:
        super().__init__(len(problems))
        self.problems = problems


def arguments(model: type[In], given: Mapping[str, Any], names: Mapping[str, str]) -> In:
    """The arguments by wire name, those that are None left out; `names` are the form's fields by path.

    Raises `Unacceptable`; what is wrong at no path of the form is wrong with the form itself.
    """
    try:
        return model.parse(orjson.dumps({name: value for name, value in given.items() if value is not None}))
    except ValidationError as error:
        problems = {names.get(issue.path, ""): _said(issue.code, issue.message) for issue in issues_of(error)}
        raise Unacceptable(problems) from None


def _said(code: str, message: str) -> str:
    return _WORDS.get(code) or f"{message.replace('String should have', 'This can have')}."


def start_of(day: str) -> str | None:
    """The first instant of a day in UTC, as a date field gives the day; None for an empty field."""
    return f"{day}T00:00:00Z" if day else None


def end_of(day: str) -> str | None:
    """The last instant of a day in UTC."""
    return f"{day}T23:59:59.999999Z" if day else None


def instant_of(local: str) -> str | None:
    """The instant of a field of date and time, which browsers send with or without seconds, read as UTC."""
    if not local:
        return None
    return f"{local}:00Z" if local.count(":") == 1 else f"{local}Z"


def local_of(instant: datetime | None) -> str:
    """The value of a field of date and time."""
    return "" if instant is None else instant.strftime("%Y-%m-%dT%H:%M")
