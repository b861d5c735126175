"""Points in time on the wire: RFC 3339 with an explicit offset in, UTC with `Z` out."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

_RFC3339 = re.compile(r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})?", flags=re.ASCII)
MAX_FRACTION_DIGITS = 6


def parse_instant(value: Any) -> datetime:
    """An aware UTC datetime.

    Refused, each with its own code: no date-time at all, no offset (a local time has no place on a shared axis), more
    than six fraction digits (the seventh would be lost), a date or time that does not exist.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise PydanticCustomError("instant_naive", "A date-time needs an offset, for instance Z or +02:00")
        return value.astimezone(UTC)
    match = _RFC3339.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise PydanticCustomError("instant_format", "Expected an RFC 3339 date-time such as 2026-03-01T09:30:00Z")
    day, time_of_day, fraction, offset = match.groups()
    if offset is None:
        raise PydanticCustomError("instant_naive", "A date-time needs an offset, for instance Z or +02:00")
    if fraction is not None and len(fraction) > MAX_FRACTION_DIGITS:
        raise PydanticCustomError("instant_precision", "At most six fraction digits (microseconds) are kept")
    offset = "+00:00" if offset in "Zz" else offset
    try:
        return datetime.fromisoformat(f"{day}T{time_of_day}.{(fraction or '0').ljust(6, '0')}{offset}").astimezone(UTC)
    except (ValueError, OverflowError):
        raise PydanticCustomError("instant_range", "No such date or time") from None


def format_instant(value: datetime) -> str:
    """RFC 3339 in UTC; microseconds only where there are any."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


Instant = Annotated[
    datetime,
    BeforeValidator(parse_instant),
    PlainSerializer(format_instant, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
