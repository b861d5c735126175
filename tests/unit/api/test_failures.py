"""Errors of core as HTTP answers: the kind decides the status, the leaf only its code."""

import orjson
import pytest

from threengram.api import failures
from threengram.core import errors
from threengram.schema.errors import MAX_DETAIL_CHARS, ErrorCode, Issue

LEAVES = [
    (errors.TokenRevoked(), 401, "unauthorized"),
    (failures.NoCredential(), 401, "unauthorized"),
    (errors.AccessSuspended("suspended"), 403, "access_denied"),
    (errors.InsufficientScope("memory:read"), 403, "insufficient_scope"),
    (errors.InvalidRequest("no", field="facts[0].value"), 400, "invalid_input"),
    (errors.InvalidCursor(), 400, "invalid_cursor"),
    (errors.UnscopedRetrieval(["work"]), 400, "unscoped_retrieval"),
    (errors.NotFound("memory", "an id"), 404, "not_found"),
    (errors.Conflict("no"), 409, "conflict"),
    (errors.DuplicateMemory("an id"), 409, "duplicate_memory"),
    (errors.InvalidTransition("resolved", "waiting"), 409, "invalid_transition"),
    (errors.LimitReached("no"), 409, "resource_limit_exceeded"),
    (errors.Unavailable("no"), 503, "unavailable"),
]


def _leaves(kind: type[errors.Error]) -> set[type[errors.Error]]:
    below = kind.__subclasses__()
    return {kind, *(leaf for child in below for leaf in _leaves(child))}


@pytest.mark.parametrize(("error", "status", "code"), LEAVES, ids=lambda value: type(value).__name__)
def test_a_kind_has_one_status(error: errors.Error, status: int, code: str) -> None:
    response = failures.of_core(error)
    body = orjson.loads(response.body)

    assert (response.status_code, body["error"]) == (status, code)
    assert body["retryable"] is (status == 503)
    assert body.get("field") == error.field
    assert body.get("id") == error.subject_id
    assert ("www-authenticate" in response.headers) is (code in ("unauthorized", "insufficient_scope"))


def test_every_error_of_core_has_a_kind_with_a_status() -> None:
    for leaf in _leaves(errors.Error) - {errors.Error}:
        assert any(kind in failures.STATUS_OF_KIND for kind in leaf.__mro__), leaf


def test_a_long_explanation_is_bounded_and_the_first_issue_is_the_field() -> None:
    issues = [Issue(f"facts[{number}].value", "string_type", "words " * 40) for number in range(8)]
    body = orjson.loads(failures.of_issues(issues).body)

    assert len(body["detail"]) == MAX_DETAIL_CHARS
    assert body["field"] == "facts[0].value"
    assert [issue["path"] for issue in body["issues"]] == [issue.path for issue in issues]


def test_a_refusal_carries_its_headers() -> None:
    refused = failures.Refused(429, ErrorCode.RATE_LIMITED, "no", headers={"retry-after": "3"}, retryable=True)
    response = failures.of_refusal(refused)
    assert (response.status_code, response.headers["retry-after"]) == (429, "3")
    assert response.headers["cache-control"] == "no-store"
