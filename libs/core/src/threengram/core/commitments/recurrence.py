"""Pure: when a recurring commitment falls due again (RFC 5545, section 3.3.10), in UTC.

A rule says on which days; the time of day is the first due instant's, which is the rule's DTSTART. Rules finer than a
day and BYWEEKNO and BYYEARDAY are refused: no obligation needs them. The days are found here and not by a library: the
one at hand walks on to the year 9999 for a rule that never matches, seconds of computing for a line of text.
"""

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import islice, takewhile

from threengram.core.errors import InvalidRequest

MAX_INTERVAL = 1_000
MAX_COUNT = 10_000
HORIZON = timedelta(days=366 * 50)
"""A rule without an occurrence in this time has none."""
SPAN = timedelta(days=366 * 100)
"""A series that has a number of occurrences ends within this time, whatever its number."""

PARTS = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"})
WEEKDAYS = {name: number for number, name in enumerate(("MO", "TU", "WE", "TH", "FR", "SA", "SU"))}
MONTHS_PER_YEAR = 12

_BYDAY = re.compile(r"([+-]?[1-9]\d?)?(MO|TU|WE|TH|FR|SA|SU)", flags=re.ASCII)
_DATE_CHARS = 8
_FEBRUARY = 2
_SHORT_MONTHS = frozenset({4, 6, 9, 11})
_DAY = timedelta(days=1)


class Frequency(StrEnum):
    """The period that a rule repeats."""

    DAILY = "DAILY"
    WEEKLY = "WEEKLY"
    MONTHLY = "MONTHLY"
    YEARLY = "YEARLY"


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A checked rule. `weekdays` pairs an ordinal (0 for every one) with a weekday, Monday being 0."""

    frequency: Frequency
    interval: int
    count: int | None
    until: datetime | None
    months: frozenset[int]
    month_days: frozenset[int]
    weekdays: frozenset[tuple[int, int]]
    positions: frozenset[int]
    week_start: int

    def first_after(self, start: datetime, instant: datetime) -> datetime | None:
        """The first occurrence later than `instant` of the series that began at `start`; None when it has ended."""
        first, near = start.astimezone(UTC), max(start, instant).astimezone(UTC).date()
        occurrences = self._counted(first) if self.count else self._onward(first, near)
        return next((occurrence for occurrence in occurrences if occurrence > instant), None)

    def last_by(self, start: datetime, instant: datetime) -> datetime | None:
        """The last occurrence at or before `instant`; None when there is none in the time of the horizon."""
        first = start.astimezone(UTC)
        if self.count:
            return max(takewhile(lambda one: one <= instant, self._counted(first)), default=None)
        latest = min(instant, self.until or instant).astimezone(UTC)
        return None if latest < first else next(self._back(first, latest), None)

    def _counted(self, first: datetime) -> Iterator[datetime]:
        """From the first occurrence on, as many as there are: there is no other way to count them."""
        return islice(
            self._occurrences(first, range(self._number(first.date(), _later(first.date(), SPAN)) + 1)), self.count
        )

    def _onward(self, first: datetime, near: date) -> Iterator[datetime]:
        """From the period of `near` on."""
        last = _later(near, HORIZON) if self.until is None else min(_later(near, HORIZON), self.until.date())
        numbers = range(self._number(first.date(), near), self._number(first.date(), last) + 1)
        return self._occurrences(first, numbers)

    def _back(self, first: datetime, latest: datetime) -> Iterator[datetime]:
        """From `latest` on towards the first."""
        day = latest.date()
        oldest = max(first.date(), day - min(HORIZON, day - date.min))
        for number in range(self._number(first.date(), day), self._number(first.date(), oldest) - 1, -1):
            yield from (one for one in reversed([*self._occurrences(first, [number])]) if one <= latest)

    def _occurrences(self, first: datetime, numbers: Iterable[int]) -> Iterator[datetime]:
        """Those of the periods with these numbers, counted from the period of the first one."""
        start = first.date()
        for number in numbers:
            matching = [day for day in self._period(start, number) if self._matches(day, start)]
            if self.positions:
                indexes = {position - 1 if position > 0 else len(matching) + position for position in self.positions}
                matching = [day for index, day in enumerate(matching) if index in indexes]
            for occurrence in (datetime.combine(day, first.timetz()) for day in matching if day >= start):
                if self.until is None or occurrence <= self.until:
                    yield occurrence

    def _number(self, start: date, day: date) -> int:
        """The number of the last period that begins at or before a day."""
        match self.frequency:
            case Frequency.DAILY:
                return (day - start).days // self.interval
            case Frequency.WEEKLY:
                return (day - self._week(start)).days // (7 * self.interval)
            case Frequency.MONTHLY:
                return (_month(day) - _month(start)) // self.interval
            case Frequency.YEARLY:
                return (day.year - start.year) // self.interval

    def _period(self, start: date, number: int) -> list[date]:
        """The days of a period, in order."""
        step = number * self.interval
        match self.frequency:
            case Frequency.DAILY:
                return [start + _DAY * step]
            case Frequency.WEEKLY:
                return _run(self._week(start) + _DAY * 7 * step, 7)
            case Frequency.MONTHLY:
                year, month = divmod(_month(start) + step, MONTHS_PER_YEAR)
                return _run(date(year, month + 1, 1), _days_of(year, month + 1))
            case Frequency.YEARLY:
                year = start.year + step
                return _run(date(year, 1, 1), 365 + calendar.isleap(year))

    def _week(self, start: date) -> date:
        """The first day of the week of a day."""
        return start - _DAY * min((start.weekday() - self.week_start) % 7, (start - date.min).days)

    def _matches(self, day: date, start: date) -> bool:
        is_plain = not self.month_days and not self.weekdays
        if is_plain and self.frequency is Frequency.YEARLY and not self.months and day.month != start.month:
            return False
        if is_plain and self.frequency in {Frequency.MONTHLY, Frequency.YEARLY} and day.day != start.day:
            return False
        if not self.weekdays and self.frequency is Frequency.WEEKLY and day.weekday() != start.weekday():
            return False
        if self.months and day.month not in self.months:
            return False
        if self.month_days and self.month_days.isdisjoint((day.day, day.day - _days_of(day.year, day.month) - 1)):
            return False
        return not self.weekdays or any((number, day.weekday()) in self.weekdays for number in self._ordinals(day))

    def _ordinals(self, day: date) -> tuple[int, int, int]:
        """Every weekday counts as itself, and as the nth and the nth last one of its month or year."""
        if self.frequency is Frequency.YEARLY and not self.months:
            position, length = day.timetuple().tm_yday, 365 + calendar.isleap(day.year)
        else:
            position, length = day.day, _days_of(day.year, day.month)
        return 0, (position - 1) // 7 + 1, -((length - position) // 7 + 1)


def parsed(rule: str) -> Recurrence:
    """The rule in its checked form; raises `InvalidRequest` for anything but a supported RFC 5545 RRULE."""
    try:
        return _checked(_values(rule))
    except (ValueError, KeyError) as error:
        raise InvalidRequest(
            "recurrence is not an RFC 5545 RRULE of daily, weekly, monthly or yearly frequency", field="recurrence"
        ) from error


def _values(rule: str) -> dict[str, str]:
    body = rule.upper().removeprefix("RRULE:")
    pairs = [part.split("=", 1) for part in body.split(";") if part]
    values = dict(pairs)
    if len(values) != len(pairs) or not values.keys() <= PARTS:
        raise ValueError("unsupported part")
    if "COUNT" in values and "UNTIL" in values:
        raise ValueError("COUNT and UNTIL exclude each other")
    if "BYSETPOS" in values and not values.keys() & {"BYDAY", "BYMONTHDAY", "BYMONTH"}:
        raise ValueError("BYSETPOS needs something to choose from")
    return values


def _checked(values: dict[str, str]) -> Recurrence:
    frequency = Frequency(values["FREQ"])
    weekdays = frozenset(_weekday(item) for item in values["BYDAY"].split(",")) if "BYDAY" in values else frozenset()
    if frequency in {Frequency.DAILY, Frequency.WEEKLY} and any(ordinal for ordinal, _ in weekdays):
        raise ValueError("an ordinal needs a month or a year")
    if frequency is Frequency.WEEKLY and "BYMONTHDAY" in values:
        raise ValueError("a week has no days of the month")
    return Recurrence(
        frequency=frequency,
        interval=_number(values.get("INTERVAL", "1"), 1, MAX_INTERVAL),
        count=_number(values["COUNT"], 1, MAX_COUNT) if "COUNT" in values else None,
        until=_bound(values["UNTIL"]) if "UNTIL" in values else None,
        months=_numbers(values.get("BYMONTH"), MONTHS_PER_YEAR, may_be_negative=False),
        month_days=_numbers(values.get("BYMONTHDAY"), 31, may_be_negative=True),
        weekdays=weekdays,
        positions=_numbers(values.get("BYSETPOS"), 366, may_be_negative=True),
        week_start=WEEKDAYS[values.get("WKST", "MO")],
    )


def _weekday(item: str) -> tuple[int, int]:
    found = _BYDAY.fullmatch(item)
    if found is None:
        raise ValueError("no weekday")
    return int(found[1] or 0), WEEKDAYS[found[2]]


def _number(text: str, low: int, high: int) -> int:
    number = int(text)
    if not low <= number <= high:
        raise ValueError("out of range")
    return number


def _numbers(text: str | None, high: int, *, may_be_negative: bool) -> frozenset[int]:
    numbers = (
        frozenset(_number(item, -high if may_be_negative else 1, high) for item in text.split(",")) if text else ()
    )
    if 0 in numbers:
        raise ValueError("out of range")
    return frozenset(numbers)


def _bound(value: str) -> datetime:
    """UNTIL as an instant, in UTC whether it says so or not; a date includes the whole of its day."""
    if len(value) == _DATE_CHARS:
        return datetime.combine(date.fromisoformat(value), time.max, UTC)
    return datetime.fromisoformat(value.removesuffix("Z")).replace(tzinfo=UTC)


def _run(first: date, count: int) -> list[date]:
    return [first + _DAY * number for number in range(min(count, (date.max - first).days + 1))]


def _later(day: date, time_later: timedelta) -> date:
    return day + min(time_later, date.max - day)


def _month(day: date) -> int:
    """Its number, counted from the year 0."""
    return day.year * MONTHS_PER_YEAR + day.month - 1


def _days_of(year: int, month: int) -> int:
    if month == _FEBRUARY:
        return 28 + calendar.isleap(year)
    return 30 if month in _SHORT_MONTHS else 31
