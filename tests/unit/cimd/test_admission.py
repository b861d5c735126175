"""What may be fetched now."""

from datetime import UTC, datetime, timedelta

import pytest

from threengram.cimd.admission import HostRoom, NewDocuments, Pauses
from threengram.cimd.failures import Unresolved
from threengram.schema.oauth import ResolveFailure

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
URL = "https://a.example/c"


def seconds(count: float) -> datetime:
    return NOW + timedelta(seconds=count)


def test_a_failing_url_pauses_twice_as_long_each_time_but_at_most_a_minute() -> None:
    pauses = Pauses()
    now, waits = NOW, []
    for _ in range(8):
        said = pauses.failed(URL, Unresolved(ResolveFailure.FETCH_FAILURE), now)
        assert said.retry_after_s is not None
        waits.append(said.retry_after_s)
        now += timedelta(seconds=said.retry_after_s)
        pauses.check(URL, now)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]


def test_a_pausing_url_answers_with_its_last_failure_and_others_are_free() -> None:
    pauses = Pauses()
    for _ in range(3):
        pauses.failed(URL, Unresolved(ResolveFailure.DOCUMENT_MISSING), NOW)
    with pytest.raises(Unresolved) as refused:
        pauses.check(URL, seconds(1.5))
    assert (refused.value.failure, refused.value.retry_after_s) == (ResolveFailure.DOCUMENT_MISSING, 3)
    pauses.check(URL + "2", NOW)


def test_a_success_forgets_the_failures() -> None:
    pauses = Pauses()
    pauses.failed(URL, Unresolved(ResolveFailure.FETCH_FAILURE), NOW)
    pauses.succeeded(URL)
    pauses.check(URL, NOW)
    assert pauses.failed(URL, Unresolved(ResolveFailure.FETCH_FAILURE), NOW).retry_after_s == 1


def test_only_urls_without_a_document_count_as_new() -> None:
    new = NewDocuments(per_minute=2)
    new.admit("a", NOW)
    new.know("a")
    new.admit("b", seconds(10))
    with pytest.raises(Unresolved) as refused:
        new.admit("c", seconds(20))
    assert (refused.value.failure, refused.value.retry_after_s) == (ResolveFailure.QUOTA_EXCEEDED, 40)
    new.admit("a", seconds(20))
    new.admit("c", seconds(60))


def test_a_host_has_its_places_back_when_they_are_left() -> None:
    room = HostRoom(1)
    with room.of("a.example"):
        with pytest.raises(Unresolved), room.of("a.example"):
            pass
        with room.of("b.example"):
            pass
    with room.of("a.example"):
        pass
