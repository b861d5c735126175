"""Under which name a caller is counted before it is known."""

import pytest
from starlette.requests import Request

from threengram.api.limits import address_of


def from_address(host: str | None) -> Request:
    return Request({"type": "http", "headers": [], "client": None if host is None else (host, 1)})


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("testclient", "unknown"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_an_address_is_counted_by_what_one_holder_has_of_it(host: str | None, counted: str) -> None:
    assert address_of(from_address(host)) == counted
