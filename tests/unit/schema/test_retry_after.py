"""`Retry-After` in both of its forms."""

from datetime import UTC, datetime

import pytest

from threengram.schema.retry_after import retry_after_s

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("Mon, 02 Mar 2026 09:00:30 GMT", 30.0),
        ("Mon, 02 Mar 2026 08:00:00 GMT", 0.0),
        ("Monday, 02-Mar-26 09:00:30 GMT", 30.0),
        ("soon", None),
        ("-5", None),
        ("\u0665", None),
        ("", None),
        (None, None),
    ],
)
def test_seconds_until_another_try(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, now=NOW) == seconds
