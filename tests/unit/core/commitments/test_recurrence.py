"""Recurrences: RFC 5545 rules of whole days, in UTC, with a bound on what they cost."""

import time
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from threengram.core.commitments.recurrence import parsed
from threengram.core.errors import InvalidRequest

START = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def following(rule: str, count: int, *, start: datetime = START) -> list[str]:
    """The days of the next occurrences."""
    days, instant = [], start
    for _ in range(count):
        after = parsed(rule).first_after(start, instant)
        if after is None:
            break
        assert after.timetz() == start.timetz()
        days.append(after.date().isoformat())
        instant = after
    return days


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ("FREQ=DAILY", ["2026-02-01", "2026-02-02", "2026-02-03"]),
        ("RRULE:FREQ=DAILY;INTERVAL=10", ["2026-02-10", "2026-02-20", "2026-03-02"]),
        ("freq=weekly;byday=mo,fr", ["2026-02-02", "2026-02-06", "2026-02-09"]),
        ("FREQ=MONTHLY", ["2026-03-31", "2026-05-31", "2026-07-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", ["2026-02-28", "2026-03-31", "2026-04-30"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", ["2026-02-27", "2026-03-31", "2026-04-30"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", ["2028-02-29", "2032-02-29", "2036-02-29"]),
        ("FREQ=DAILY;COUNT=3", ["2026-02-01", "2026-02-02"]),
        ("FREQ=DAILY;UNTIL=20260202", ["2026-02-01", "2026-02-02"]),
        ("FREQ=DAILY;UNTIL=20260202T093000Z", ["2026-02-01", "2026-02-02"]),
        ("FREQ=DAILY;UNTIL=20260202T092959Z", ["2026-02-01"]),
    ],
)
def test_a_rule_names_its_days(rule: str, days: list[str]) -> None:
    assert following(rule, 3) == days


@pytest.mark.parametrize(
    "rule",
    ["", "FREQ=", "FREQ=HOURLY", "FREQ=MINUTELY", "FREQ=DAILY;BYMINUTE=1", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;X=1",
     "FREQ=DAILY;COUNT=0", "FREQ=DAILY;COUNT=10001", "FREQ=DAILY;INTERVAL=1001", "FREQ=DAILY;UNTIL=soon",
     "FREQ=DAILY;UNTIL=2026-02-30", "DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY", "FREQ=YEARLY;BYMONTH=13",
     "FREQ=MONTHLY;BYSETPOS=1", "FREQ=WEEKLY;BYDAY=1XX"],
)  # fmt: skip
def test_anything_else_is_refused(rule: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parsed(rule)
    assert refused.value.field == "recurrence"


@pytest.mark.parametrize("bound", ["", ";COUNT=3"])
def test_a_rule_that_never_matches_ends_soon(bound: str) -> None:
    rule = parsed(f"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30{bound}")
    began = time.process_time()
    assert rule.first_after(START, START) is None
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY",
        "FREQ=WEEKLY;BYDAY=SU",
        "FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO",
        "FREQ=YEARLY",
        "FREQ=YEARLY;BYDAY=53MO;BYSETPOS=366",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=9",
    ],
)
@pytest.mark.parametrize(("start", "instant"), [(1, 2026), (2026, 9999), (1, 9999)])
def test_a_series_costs_no_more_the_longer_it_runs(rule: str, start: int, instant: int) -> None:
    recurrence = parsed(rule)
    first, now = datetime(start, 1, 31, tzinfo=UTC), datetime(instant, 12, 1, tzinfo=UTC)
    began = time.process_time()
    after, latest = recurrence.first_after(first, now), recurrence.last_by(first, now)
    assert time.process_time() - began < 2.0
    assert after is None or after > now
    assert latest is None or first <= latest <= now


def test_a_series_of_centuries_goes_on_in_its_step() -> None:
    first = datetime(26, 1, 31, 9, tzinfo=UTC)
    expected = datetime(2026, 1, 31, 9, tzinfo=UTC)
    every_fourth = parsed("FREQ=YEARLY;INTERVAL=4;BYMONTH=1;BYMONTHDAY=31")
    assert every_fourth.last_by(first, datetime(2029, 12, 31, tzinfo=UTC)) == expected
    assert every_fourth.first_after(first, datetime(2025, 12, 31, tzinfo=UTC)) == expected


def test_the_last_occurrence_by_an_instant_includes_that_instant() -> None:
    rule = parsed("FREQ=WEEKLY")
    week = timedelta(days=7)
    assert rule.last_by(START, START + 2 * week) == START + 2 * week
    assert rule.last_by(START, START + 2 * week - timedelta(microseconds=1)) == START + week
    assert rule.last_by(START, START - timedelta(microseconds=1)) is None


@given(
    st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9999, 12, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.sampled_from(["FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY;BYMONTHDAY=15", "FREQ=YEARLY"]),
)
def test_the_next_occurrence_is_later_and_keeps_the_time_of_day(start: datetime, rule: str) -> None:
    after = parsed(rule).first_after(start, start)
    if after is None:
        assert start.year > 9990
    else:
        assert after > start
        assert after.timetz() == start.timetz()


RULES = st.builds(
    lambda *parts: ";".join(part for part in parts if part),
    st.sampled_from(["FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY"]),
    st.sampled_from(["", "INTERVAL=2", "INTERVAL=3"]),
    st.sampled_from(["", "BYDAY=MO", "BYDAY=TU,TH,SU", "BYDAY=MO,TU,WE,TH,FR"]),
    st.sampled_from(["", "BYMONTH=1,6,11"]),
    st.sampled_from(["", "BYSETPOS=1", "BYSETPOS=-1", "BYSETPOS=1,2"]),
    st.sampled_from(["", "COUNT=7", "UNTIL=20280101T000000Z"]),
    st.sampled_from(["", "WKST=SU"]),
)


@settings(max_examples=60)
@given(
    st.datetimes(min_value=datetime(2024, 1, 1), max_value=datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    RULES | st.sampled_from(
        ["FREQ=MONTHLY;BYDAY=2WE", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY;BYDAY=20MO", "FREQ=YEARLY;BYDAY=-2SU",
         "FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU", "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "FREQ=MONTHLY;BYMONTHDAY=-1,15",
         "FREQ=YEARLY;BYMONTHDAY=1", "FREQ=DAILY;BYMONTHDAY=7"]
    ),
)  # fmt: skip
def test_a_rule_means_what_a_library_takes_it_to_mean(start: datetime, rule: str) -> None:
    start = start.replace(microsecond=0)
    # The library counts positions in the first week from its start on, where the RFC counts them in the whole week.
    assume("BYSETPOS" not in rule or ("FREQ=WEEKLY" not in rule and ("BYDAY" in rule or "BYMONTH" in rule)))
    expected = list(takewhile(lambda one: one.year < 2030, islice(rrulestr(rule, dtstart=start), 12)))
    found: list[datetime] = []
    instant = start - timedelta(seconds=1)
    while (after := parsed(rule).first_after(start, instant)) is not None and after.year < 2030 and len(found) < 12:
        assert parsed(rule).last_by(start, after - timedelta(seconds=1)) == (found[-1] if found else None)
        found.append(after)
        instant = after
    assert found == expected
