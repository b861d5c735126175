"""Every failure is an error that says what a caller can do about it, and never what was sent or with which key."""

import pickle
import traceback
from typing import Any

import httpx2
import pytest

from tests.unit.sdk.clients import BOTH, KEY, Call, Script, Time, refusal
from threengram import sdk
from threengram.schema.errors import ErrorCode
from threengram.sdk import ApiError, InvalidInput, ThreengramError, UnreadableAnswer
from threengram.sdk.errors import Failure

CANARY = "c4n4ry-of-a-private-thought"
STATUS_AND_KIND: dict[ErrorCode, tuple[int, type[ApiError]]] = {
    ErrorCode.INVALID_INPUT: (400, sdk.InvalidInput),
    ErrorCode.UNKNOWN_ARGUMENT: (400, sdk.InvalidInput),
    ErrorCode.UNSCOPED_RETRIEVAL: (400, sdk.UnscopedRetrieval),
    ErrorCode.INVALID_CURSOR: (400, sdk.InvalidCursor),
    ErrorCode.DUPLICATE_MEMORY: (409, sdk.DuplicateMemory),
    ErrorCode.NOT_FOUND: (404, sdk.NotFound),
    ErrorCode.CONFLICT: (409, sdk.Conflict),
    ErrorCode.INVALID_TRANSITION: (409, sdk.InvalidTransition),
    ErrorCode.UNAUTHENTICATED: (401, sdk.Unauthenticated),
    ErrorCode.ACCESS_DENIED: (403, sdk.AccessDenied),
    ErrorCode.INSUFFICIENT_SCOPE: (403, sdk.InsufficientScope),
    ErrorCode.RESOURCE_LIMIT_EXCEEDED: (409, sdk.LimitReached),
    ErrorCode.RATE_LIMITED: (429, sdk.RateLimited),
    ErrorCode.UNAVAILABLE: (503, sdk.Unavailable),
    ErrorCode.DEADLINE_EXCEEDED: (504, sdk.DeadlineExceeded),
    ErrorCode.INVALID_OUTPUT: (500, sdk.ServerError),
    ErrorCode.INTERNAL_ERROR: (500, sdk.ServerError),
    ErrorCode.METHOD_NOT_ALLOWED: (405, sdk.ApiError),
    ErrorCode.PAYLOAD_TOO_LARGE: (413, sdk.InvalidInput),
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: (415, sdk.InvalidInput),
}


def failed(response: httpx2.Response, client: Call = BOTH[0], **arguments: Any) -> ThreengramError:
    """What a search ends with; no attempt after the first."""
    with pytest.raises(ThreengramError) as raised:
        client(Script(response), Time(), retries=sdk.NO_RETRIES)("search", query=CANARY, **arguments)
    return raised.value


@pytest.mark.parametrize("client", BOTH, ids=lambda client: client.__name__)
@pytest.mark.parametrize("code", ErrorCode)
def test_every_code_is_an_error_of_its_kind(client: Call, code: ErrorCode) -> None:
    status, kind = STATUS_AND_KIND[code]
    error = failed(refusal(status, code, field="a.b", id="an id"), client)
    assert type(error) is kind
    assert isinstance(error, ApiError)
    assert (error.status, error.code, error.field, error.id) == (status, code, "a.b", "an id")
    assert error.retryable is (status in (429, 503, 504))
    assert str(error) == f"{code}: words about {code} (an id)"


def test_a_code_that_is_not_known_yet_is_told_by_its_status() -> None:
    error = failed(refusal(409, "memory_is_asleep", newMember=1))
    assert (type(error), getattr(error, "code", "")) == (sdk.Conflict, "memory_is_asleep")


def test_somebody_elses_failure_is_one_too() -> None:
    error = failed(httpx2.Response(502, text=f"<html>{CANARY}</html>"))
    assert isinstance(error, sdk.ServerError)
    assert (error.code, error.retryable, str(error)) == (
        "http_502",
        True,
        "http_502: Bad Gateway, without a word of the API",
    )
    assert type(failed(httpx2.Response(302, headers={"location": "http://elsewhere.test"}))) is ApiError


@pytest.mark.parametrize("body", ["", "<html>", "[]", '{"hits": []}'])
def test_an_answer_of_something_else_is_no_answer(body: str) -> None:
    error = failed(httpx2.Response(200, text=body))
    assert isinstance(error, UnreadableAnswer)
    assert not error.retryable


def test_bad_arguments_are_refused_as_the_api_would_before_anything_is_sent() -> None:
    script = Script()
    with pytest.raises(InvalidInput) as raised:
        BOTH[0](script, Time())("remember", memory_type="notion", topic="t", content=CANARY * 100, colour="green")
    error = raised.value
    assert (error.status, error.code, error.field, script.requests) == (None, "invalid_input", "colour", [])
    assert [(issue.path, issue.code) for issue in error.issues] == [
        ("memoryType", "enum"),
        ("content", "string_too_long"),
        ("colour", "extra_forbidden"),
    ]
    assert CANARY not in str(error) + repr(error)


@pytest.mark.parametrize("client", BOTH, ids=lambda client: client.__name__)
@pytest.mark.parametrize("step", [httpx2.ConnectError, refusal(401, "unauthorized"), httpx2.Response(200, text="{}")])
def test_neither_the_key_nor_what_was_sent_is_in_an_error(client: Call, step: Any) -> None:
    with pytest.raises(ThreengramError) as raised:
        client(Script(step), Time(), retries=sdk.NO_RETRIES)("search", query=CANARY)
    told = "".join(traceback.format_exception(raised.value)) + repr(raised.value) + repr(raised.value.__dict__)
    assert CANARY not in told
    assert KEY not in told


def test_neither_client_shows_its_key() -> None:
    for client in (sdk.Threengram, sdk.AsyncThreengram):
        memory = client("http://memory.test", api_key=KEY)
        assert repr(memory) == f"{client.__name__}('http://memory.test')"
        assert KEY not in repr(memory.__dict__)


def test_errors_travel_between_processes() -> None:
    error = sdk.DuplicateMemory(Failure(409, "duplicate_memory", "words", id="x"))
    copied = pickle.loads(pickle.dumps(error))
    assert (type(copied), copied.failure, copied.id) == (sdk.DuplicateMemory, error.failure, "x")
