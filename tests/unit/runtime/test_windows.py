"""The arithmetic of sliding windows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threengram.runtime.ratelimit import Rule, Verdict
from threengram.runtime.windows import Window

PER_S = 60


def test_the_window_before_counts_by_what_is_left_of_it() -> None:
    assert Window(10, 30, 3, 30).used(PER_S) == 8


def test_a_full_current_window_frees_a_call_when_it_ends() -> None:
    assert Window(0, 0, 10, 25).free_in_s(10, PER_S) == 25


def test_a_window_filled_by_the_one_before_frees_a_call_as_that_fades() -> None:
    assert Window(10, 60, 0, 60).free_in_s(10, PER_S) == 0 + 60 - 60 * 10 / 10
    assert Window(10, 54, 1, 54).free_in_s(10, PER_S) == 0


@given(
    calls=st.integers(1, 1000),
    previous=st.integers(0, 1000),
    current=st.integers(0, 1000),
    left_s=st.floats(0.001, PER_S),
)
def test_after_the_promised_wait_one_call_fits(calls: int, previous: int, current: int, left_s: float) -> None:
    previous, current = min(previous, calls), min(current, calls)
    window = Window(previous, left_s if previous else 0.0, current, left_s if current else 0.0)
    wait_s = window.free_in_s(calls, PER_S) + 0.001

    if wait_s <= left_s:
        later = Window(previous, window.previous_ends_in_s - wait_s if previous else 0.0, current, left_s - wait_s)
    else:
        later = Window(current, max(0.0, PER_S - (wait_s - left_s)), 0, 0.0)

    assert later.used(PER_S) < calls


def test_a_rule_that_lets_nothing_through_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one call"):
        Rule("mcp_user", 0, 60, "open")


def test_headers_are_whole_seconds_rounded_up_and_name_the_wait_only_on_a_refusal() -> None:
    allowed = Verdict(allowed=True, limit=600, remaining=599, reset_s=59.2, retry_after_s=0)
    refused = Verdict(allowed=False, limit=600, remaining=0, reset_s=0.2, retry_after_s=0.2)

    assert allowed.headers == {"ratelimit-limit": "600", "ratelimit-remaining": "599", "ratelimit-reset": "60"}
    assert refused.headers == {
        "ratelimit-limit": "600",
        "ratelimit-remaining": "0",
        "ratelimit-reset": "1",
        "retry-after": "1",
    }
