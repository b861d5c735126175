"""What is tried again, when, and what never is."""

import base64
import traceback

import httpx2
import pytest

from tests.unit.sdk.clients import BOTH, KEY, Call, Script, Time, refusal, version
from threengram.sdk import (
    ApiError,
    InvalidInput,
    RateLimited,
    Retries,
    Threengram,
    ThreengramError,
    TimedOut,
    Unauthenticated,
    Unavailable,
    Unreachable,
)

CLIENTS = pytest.mark.parametrize("client", BOTH, ids=lambda client: client.__name__)
NOTE = {"memory_type": "note", "topic": "Shed", "content": "The shed is green."}
WRITTEN = httpx2.Response(
    201,
    json={"memory": {"id": "0190d3a8-7c2e-7000-8000-000000000001", "memoryType": "note", "topic": "Shed",
                     "scope": "personal", "project": None}, "embedded": "done"},
)  # fmt: skip


@CLIENTS
def test_a_read_is_tried_again_after_everything_that_may_pass(client: Call) -> None:
    script = Script(httpx2.ConnectError, httpx2.ReadTimeout, refusal(503, "unavailable"), version())
    time = Time()
    assert client(script, time)("version").version == "1.2.3"
    assert (len(script.requests), time.slept) == (4, [0.25, 0.5, 1.0])


@CLIENTS
def test_the_wait_that_the_server_asks_for_comes_before_our_own(client: Call) -> None:
    limited = refusal(429, "rate_limited", {"retry-after": "12"})
    time = Time()
    client(Script(limited, version()), time)("version")
    assert time.slept == [12.25]


@CLIENTS
@pytest.mark.parametrize("failure", [httpx2.ConnectError, httpx2.ConnectTimeout, refusal(429, "rate_limited")])
def test_a_write_is_tried_again_where_nobody_has_looked_at_it(client: Call, failure: object) -> None:
    script = Script(failure, WRITTEN)  # type: ignore[arg-type]
    assert client(script, Time())("remember", **NOTE).embedded == "done"
    assert len(script.requests) == 2


@CLIENTS
@pytest.mark.parametrize(
    "failure",
    [httpx2.ReadTimeout, httpx2.ReadError, httpx2.RemoteProtocolError, refusal(503, "unavailable"),
     refusal(504, "deadline_exceeded"), httpx2.Response(502, text="<html>")],
)  # fmt: skip
def test_a_write_that_may_have_been_carried_out_is_never_sent_twice(client: Call, failure: object) -> None:
    script = Script(failure, WRITTEN)  # type: ignore[arg-type]
    with pytest.raises(ThreengramError) as raised:
        client(script, Time())("remember", **NOTE)
    assert raised.value.retryable
    assert len(script.requests) == 1


@CLIENTS
@pytest.mark.parametrize(
    ("failure", "kind"),
    [(refusal(400, "invalid_input"), InvalidInput), (refusal(401, "unauthorized"), Unauthenticated),
     (refusal(500, "internal_error"), ApiError)],
)  # fmt: skip
def test_what_will_not_pass_is_told_at_once(client: Call, failure: httpx2.Response, kind: type[ApiError]) -> None:
    script = Script(failure)
    with pytest.raises(kind):
        client(script, Time())("version")
    assert len(script.requests) == 1


@CLIENTS
def test_the_last_error_is_raised_when_the_attempts_are_used_up(client: Call) -> None:
    script = Script(httpx2.ConnectError, httpx2.ConnectError, refusal(503, "unavailable", {"retry-after": "1"}))
    with pytest.raises(Unavailable) as raised:
        client(script, Time(), retries=Retries(most=2))("version")
    assert (raised.value.retry_after_s, len(script.requests)) == (1.0, 3)


@CLIENTS
def test_no_attempt_begins_after_the_timeout_of_the_call(client: Call) -> None:
    time = Time()

    def late(_request: httpx2.Request) -> httpx2.Response:
        time.now_s += 2.0
        return refusal(503, "unavailable")

    script = Script(late, late, late)
    with pytest.raises(Unavailable):
        client(script, time, timeout_s=5.0)("version")
    steps = [request.extensions["timeout"] for request in script.requests]
    assert [step["read"] for step in steps] == [5.0, 2.75, 0.25]
    assert [step["connect"] for step in steps] == [5.0, 2.75, 0.25]


@CLIENTS
def test_a_wait_that_is_longer_than_the_call_may_take_is_left_to_the_caller(client: Call) -> None:
    time = Time()
    with pytest.raises(RateLimited) as raised:
        client(Script(refusal(429, "rate_limited", {"retry-after": "60"})), time)("version")
    assert (raised.value.retry_after_s, raised.value.retryable, time.slept) == (60.0, True, [])


@CLIENTS
def test_a_timeout_is_told_from_a_connection_that_broke(client: Call) -> None:
    with pytest.raises(TimedOut):
        client(Script(httpx2.ReadTimeout), Time(), retries=Retries(most=0))("version")
    with pytest.raises(Unreachable, match="no answer from the API: ReadError") as raised:
        client(Script(httpx2.ReadError), Time(), retries=Retries(most=0))("version")
    assert raised.value.was_sent


@CLIENTS
def test_a_token_is_asked_for_before_every_attempt(client: Call) -> None:
    tokens = iter(["old", "new"])
    script = Script(httpx2.ReadTimeout, version())
    client(script, Time(), token=lambda: next(tokens))("version")
    assert [request.headers["authorization"] for request in script.requests] == ["Bearer old", "Bearer new"]
    assert "x-api-key" not in script.requests[0].headers


def test_a_key_goes_into_its_header_and_a_client_with_another_timeout_shares_the_connections() -> None:
    script = Script(version(), version())
    memory = Threengram("http://memory.test/base/", api_key=KEY, transport=httpx2.MockTransport(script), clock=Time())
    memory.within(3.0).version()
    memory.version()
    assert [request.extensions["timeout"]["read"] for request in script.requests] == [3.0, 30.0]
    assert {str(request.url) for request in script.requests} == {"http://memory.test/base/api/v1/version"}
    assert script.requests[0].headers["x-api-key"] == KEY
    assert script.requests[0].headers["user-agent"].startswith("threengram-sdk/")


@pytest.mark.parametrize(
    ("base_url", "options", "reason"),
    [
        ("memory.test", {"api_key": KEY}, "base_url"),
        ("ftp://memory.test", {"api_key": KEY}, "base_url"),
        (f"http://user:{KEY}@memory.test", {"api_key": KEY}, "base_url"),
        ("http://memory.test?x=1", {"api_key": KEY}, "base_url"),
        ("http://memory.test:port", {"api_key": KEY}, "base_url"),
        ("http://memory.test", {"api_key": f"{KEY}\n"}, "api_key has characters"),
        ("http://memory.test", {"token": f"{KEY} é"}, "token has characters"),
        ("http://memory.test", {"api_key": ""}, "api_key has characters"),
        ("http://memory.test", {}, "api_key or a token"),
        ("http://memory.test", {"api_key": KEY, "token": KEY}, "api_key or a token"),
        ("http://memory.test", {"api_key": KEY, "timeout_s": 0.0}, "timeout_s"),
    ],
)
def test_what_can_never_work_is_refused_before_anything_is_sent(
    base_url: str, options: dict[str, str], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason) as raised:
        Threengram(base_url, **options)  # type: ignore[arg-type]
    assert KEY not in str(raised.value)


def test_a_token_that_no_header_can_hold_is_refused_without_being_shown() -> None:
    script = Script()
    with pytest.raises(ValueError, match="token has characters") as raised:
        BOTH[0](script, Time(), token=lambda: f"{KEY}\r\nx: y")("version")
    assert KEY not in "".join(traceback.format_exception(raised.value))
    assert script.requests == []


def test_the_address_of_the_api_itself_will_do_too() -> None:
    script = Script(version())
    with Threengram("http://memory.test/api/v1/", api_key=KEY, transport=httpx2.MockTransport(script)) as memory:
        memory.version()
    assert str(script.requests[0].url) == "http://memory.test/api/v1/version"


def test_a_proxy_of_the_environment_gets_nothing_that_is_meant_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    password = base64.b64encode(b"x").decode()
    monkeypatch.setenv("HTTP_PROXY", f"http://user:{password}@127.0.0.1:9")
    for url, is_used in (("http://127.0.0.1:1", False), ("http://localhost:1", False), ("http://memory.test", True)):
        with Threengram(url, api_key=KEY) as memory:
            assert memory._connection.trusts_environment is is_used
