"""Answers as a client reads them: what a newer server adds neither breaks an older client nor changes what it knows.

Members that a model does not know are passed over. A value that an enumeration does not know becomes a member of it for
this one answer: an instance of the class and equal to its text, but none of the members that the class lists. Whoever
validates in any other way is as strict as ever.
"""

from contextvars import ContextVar
from enum import StrEnum
from typing import Any, Self, TypeVar

from pydantic import TypeAdapter

_is_reading: ContextVar[bool] = ContextVar("is_reading", default=False)
Out = TypeVar("Out")


class Vocabulary(StrEnum):
    """Texts of which a later release may know more."""

    @classmethod
    def _missing_(cls, value: Any) -> Self | None:
        if not _is_reading.get() or not isinstance(value, str):
            return None
        member = str.__new__(cls, value)
        member._name_ = member._value_ = value
        return member


def read(form: TypeAdapter[Out], body: bytes) -> Out:
    """The answer in a JSON text; raises `pydantic.ValidationError` when something is missing or of another kind."""
    token = _is_reading.set(True)
    try:
        return form.validate_json(body, strict=False, extra="ignore")
    finally:
        _is_reading.reset(token)
