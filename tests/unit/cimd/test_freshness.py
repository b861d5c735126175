"""How long a response may be used."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threengram.cimd.freshness import Freshness, freshness

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DATE = "Mon, 02 Mar 2026 09:00:00 GMT"


def found(headers: dict[str, str]) -> Freshness:
    return freshness(headers, NOW, default_ttl_s=300, max_ttl_s=3600)


@pytest.mark.parametrize(
    ("headers", "ttl_s", "may_serve_stale"),
    [
        ({}, 300, True),
        ({"cache-control": "public"}, 300, True),
        ({"cache-control": "max-age=60"}, 60, True),
        ({"cache-control": 'MAX-AGE = "60"'}, 60, True),
        ({"cache-control": "max-age=60, s-maxage=20"}, 20, False),
        ({"cache-control": "s-maxage=86400"}, 3600, False),
        ({"cache-control": "max-age=60, max-age=10"}, 10, True),
        ({"cache-control": "max-age=99999999999999999999999999999"}, 3600, True),
        ({"cache-control": "max-age=-1"}, 0, True),
        ({"cache-control": "max-age=soon"}, 0, True),
        ({"cache-control": "max-age"}, 0, True),
        ({"cache-control": "max-age=60", "age": "50"}, 10, True),
        ({"cache-control": "max-age=60", "age": "70"}, 0, True),
        ({"cache-control": "max-age=60, must-revalidate"}, 60, False),
        ({"cache-control": "max-age=60, proxy-revalidate"}, 60, False),
        ({"cache-control": "no-cache"}, 0, False),
        ({"cache-control": 'no-cache="x-field", max-age=60'}, 0, False),
        ({"cache-control": "max-age=60, no-store"}, 0, False),
        ({"cache-control": "private, max-age=60"}, 0, False),
        ({"cache-control": 'private="set-cookie, x", max-age=60'}, 0, False),
        ({"cache-control": 'extension="no-store", max-age=60'}, 60, True),
        ({"vary": "*", "cache-control": "max-age=60"}, 0, False),
        ({"vary": "accept-encoding", "cache-control": "max-age=60"}, 60, True),
        ({"expires": "Mon, 02 Mar 2026 09:02:00 GMT", "date": DATE}, 120, True),
        ({"expires": "Mon, 02 Mar 2026 09:02:00 GMT", "date": DATE, "cache-control": "max-age=5"}, 5, True),
        ({"expires": "Mon, 02 Mar 2026 09:02:00 GMT"}, 120, True),
        ({"expires": "Mon, 02 Mar 2026 08:00:00 GMT", "date": DATE}, 0, True),
        ({"expires": "0"}, 0, True),
    ],
)
def test_directives_decide_how_long_a_response_is_used(
    headers: dict[str, str], ttl_s: int, may_serve_stale: bool
) -> None:
    assert found(headers) == Freshness(ttl_s, may_serve_stale)


@given(st.text(), st.text(), st.text())
def test_no_header_breaks_it_or_exceeds_the_ceiling(cache_control: str, age: str, expires: str) -> None:
    ttl_s = found({"cache-control": cache_control, "age": age, "expires": expires}).ttl_s
    assert 0 <= ttl_s <= 3600


def test_a_way_over_several_responses_is_as_fresh_as_the_shortest_of_them() -> None:
    assert Freshness(60, True).and_then(Freshness(20, False)) == Freshness(20, False)
