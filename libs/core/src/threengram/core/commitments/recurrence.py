"""Pure: when a recurring commitment falls due again (RFC 5545, section 3.3.10), in UTC.

A rule says on which days; the time of day is the first due instant's. Rules finer than a day and lists of hours,
minutes or seconds are refused: no obligation needs them, and a rule of that kind that never matches costs hours to
evaluate. The first due instant is the rule's DTSTART.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, takewhile

from dateutil.rrule import rrulestr

from threengram.core.errors import InvalidRequest

PARTS = frozenset(
    {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "BYWEEKNO", "BYYEARDAY",
     "WKST"}
)  # fmt: skip
FREQUENCIES = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
MAX_INTERVAL = 1_000
MAX_COUNT = 10_000
HORIZON = timedelta(days=366 * 50)
"""A rule without an occurrence in this time has none: it bounds the search through a rule that never matches."""

_PROBE = datetime(2026, 1, 1, 9, tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)
_DATE_CHARS = 8


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A checked rule; its COUNT and UNTIL stand apart, as the library is always given a bound of our own."""

    rule: str
    count: int | None
    until: datetime | None

    def first_after(self, start: datetime, instant: datetime) -> datetime | None:
        """The first occurrence later than `instant` of the series that began at `start`; None when it has ended."""
        return next((occurrence for occurrence in self._series(start, instant) if occurrence > instant), None)

    def last_by(self, start: datetime, instant: datetime) -> datetime | None:
        """The last occurrence at or before `instant`; None when there is none yet."""
        latest = None
        for occurrence in takewhile(lambda one: one <= instant, self._series(start, instant)):
            latest = occurrence
        return latest

    def _series(self, start: datetime, instant: datetime) -> Iterator[datetime]:
        """From the first occurrence to the horizon. The library drops the fraction of a second, which all share."""
        latest = max(start, instant).astimezone(UTC)
        horizon = latest + min(HORIZON, _LAST - latest)
        until = horizon if self.until is None else min(self.until, horizon)
        first = start.astimezone(UTC)
        series = rrulestr(f"{self.rule};UNTIL={until:%Y%m%dT%H%M%SZ}", dtstart=first.replace(microsecond=0))
        for occurrence in islice(series, self.count):
            yield occurrence + timedelta(microseconds=first.microsecond)


def parsed(rule: str) -> Recurrence:
    """The rule in its checked form; raises `InvalidRequest` for anything but a supported RFC 5545 RRULE."""
    try:
        values = _values(rule)
        count, until = values.pop("COUNT", None), values.pop("UNTIL", None)
        checked = Recurrence(
            rule=";".join(f"{name}={value}" for name, value in values.items()),
            count=None if count is None else int(count),
            until=None if until is None else _bound(until),
        )
        rrulestr(checked.rule, dtstart=_PROBE)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise InvalidRequest(
            "recurrence is not an RFC 5545 RRULE of daily, weekly, monthly or yearly frequency", field="recurrence"
        ) from error
    return checked


def _values(rule: str) -> dict[str, str]:
    body = rule.upper().removeprefix("RRULE:")
    pairs = [part.split("=", 1) for part in body.split(";") if part]
    values = dict(pairs)
    if len(values) != len(pairs) or not values.keys() <= PARTS or values["FREQ"] not in FREQUENCIES:
        raise ValueError("unsupported part")
    if not 1 <= int(values.get("INTERVAL", "1")) <= MAX_INTERVAL or not 1 <= int(values.get("COUNT", "1")) <= MAX_COUNT:
        raise ValueError("out of range")
    if "COUNT" in values and "UNTIL" in values:
        raise ValueError("COUNT and UNTIL exclude each other")
    return values


def _bound(value: str) -> datetime:
    """UNTIL as an instant, in UTC whether it says so or not; a date includes the whole of its day."""
    if len(value) == _DATE_CHARS:
        return datetime.combine(date.fromisoformat(value), time.max, UTC)
    return datetime.fromisoformat(value.removesuffix("Z")).replace(tzinfo=UTC)
