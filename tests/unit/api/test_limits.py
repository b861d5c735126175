"""Under which name a caller is counted before it is known."""

import re
from typing import Any

import pytest
from starlette.requests import Request

from threengram.api.limits import EdgeLimits, address_of
from threengram.api.pages import static_routes
from threengram.runtime.ratelimit import Rule, Verdict


def from_address(host: str | None) -> Request:
    return Request({"type": "http", "headers": [], "client": None if host is None else (host, 1)})


class Counting:
    """Lets everything through, and keeps the keys."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    async def hit(self, rule: Rule, key: str) -> Verdict:
        self.keys.append(key)
        return Verdict(True, rule.calls, rule.calls, 0.0, 0.0)


async def test_a_client_is_counted_at_each_address_by_itself() -> None:
    counting = Counting()
    limits = EdgeLimits(counting)
    here, there = from_address("203.0.113.7"), from_address("203.0.113.8")
    for request, client_id in ((here, "a"), (here, "a"), (here, "b"), (there, "a")):
        await limits.by_client(limits.rules.token_client, request, client_id)
    first, again, other_client, elsewhere = counting.keys
    assert first == again
    assert len({first, other_client, elsewhere}) == 3


async def test_what_a_caller_says_is_no_part_of_a_key() -> None:
    counting = Counting()
    limits = EdgeLimits(counting)
    await limits.by_account(limits.rules.login_account, "olga@example.test")
    await limits.by_client(limits.rules.token_client, from_address("203.0.113.7"), "https://client.test/metadata\ud800")
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in counting.keys)


@pytest.mark.parametrize(("calls", "status"), [(1, 200), (0, 429)])
async def test_an_answer_tells_the_limit_that_it_was_counted_by(calls: int, status: int) -> None:
    class One(Counting):
        async def hit(self, rule: Rule, key: str) -> Verdict:
            return Verdict(calls > 0, rule.calls, calls, 30.0, 0.0 if calls else 12.3)

    limits = EdgeLimits(One())
    style, _ = static_routes(limits)
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": style.path,
        "headers": [],
        "query_string": b"",
        "client": None,
    }
    answer = await style.endpoint(Request(scope))
    assert answer.status_code == status
    assert answer.headers["ratelimit-limit"] == str(limits.rules.public_address.calls)
    assert answer.headers["ratelimit-reset"] == "30"
    assert answer.headers.get("retry-after") == (None if calls else "13")


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
