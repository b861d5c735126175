"""Whatever goes wrong, as the one error body: a stable code, words, paths and ids, never a value that was sent."""

from collections.abc import Iterable, Mapping
from typing import Final

import orjson
from opentelemetry.trace import get_current_span
from pydantic import ValidationError
from starlette.responses import Response

from threengram.core import errors
from threengram.runtime.deadline import DeadlineExceeded
from threengram.schema.errors import MAX_DETAIL_CHARS, ErrorBody, ErrorCode, Issue, IssueBody, issues_of

STATUS_OF_KIND: Final[Mapping[type[errors.Error], int]] = {
    errors.Unauthenticated: 401,
    errors.Denied: 403,
    errors.InvalidRequest: 400,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.LimitReached: 409,
    errors.Unavailable: 503,
}
"""The only place where a kind of error becomes an HTTP status; a leaf never does."""

REALM: Final = 'Bearer realm="3ngram"'
RETRY_AFTER_S: Final = 1

Headers = Mapping[str, str]


class Refused(Exception):
    """A request that is refused about its HTTP side, before any verb could have an opinion."""

    def __init__(
        self,
        status: int,
        code: ErrorCode,
        detail: str,
        *,
        field: str | None = None,
        headers: Headers | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.body = ErrorBody(error=code, detail=detail, field=field, retryable=retryable)
        self.headers = headers or {}


def answer(status: int, body: ErrorBody, headers: Headers | None = None) -> Response:
    """An error body as a response."""
    return Response(orjson.dumps(body.wire()), status, {"cache-control": "no-store", **(headers or {})},
                    "application/json")  # fmt: skip


def of_refusal(refused: Refused) -> Response:
    """A refusal as it stands."""
    return answer(refused.status, refused.body, refused.headers)


def of_foreseen(error: Refused | errors.Error | DeadlineExceeded) -> Response:
    """Whatever a request may end with, short of a crash."""
    match error:
        case Refused():
            return of_refusal(error)
        case errors.Error():
            return of_core(error)
        case _:
            return of_deadline()


def status_of(error: errors.Error) -> int:
    """The HTTP status of a failure of core's vocabulary."""
    return next(STATUS_OF_KIND[kind] for kind in type(error).__mro__ if kind in STATUS_OF_KIND)


def of_core(error: errors.Error) -> Response:
    """A failure of core's vocabulary; `str(error)` is safe to show by its contract."""
    body = ErrorBody(
        error=error.code,
        detail=str(error)[:MAX_DETAIL_CHARS],
        field=error.field,
        id=error.subject_id or None,
        line=error.line,
        issues=[_issue(issue) for issue in error.issues] or None,
        retryable=error.retryable,
    )
    return answer(status_of(error), body, _headers_of(error))


def _headers_of(error: errors.Error) -> Headers:
    if isinstance(error, errors.Unauthenticated):
        # A request without credentials gets no error code (RFC 6750, section 3.1).
        given = "" if isinstance(error, NoCredential) else ', error="invalid_token"'
        return {"www-authenticate": REALM + given}
    if isinstance(error, errors.InsufficientScope):
        return {"www-authenticate": f'{REALM}, error="insufficient_scope", scope="{error.scope}"'}
    if isinstance(error, errors.Unavailable):
        return {"retry-after": str(RETRY_AFTER_S)}
    return {}


class NoCredential(errors.Unauthenticated):
    """Nothing was presented."""

    def __init__(self) -> None:
        super().__init__("send an API key in X-API-Key, or as a Bearer token in Authorization")


class BadCredential(errors.Unauthenticated):
    """What was presented opens nothing; why is not told."""

    def __init__(self) -> None:
        super().__init__("the credential is unknown, expired, revoked or malformed")


def of_arguments(error: ValidationError) -> Response:
    """Arguments that the input model refuses."""
    return of_issues(issues_of(error))


def of_issues(issues: Iterable[Issue]) -> Response:
    """A list of what is wrong with the input; `field` is the first name that is unknown, since it explains the rest."""
    listed = [_issue(issue) for issue in issues]
    words = "; ".join(f"{issue.path}: {issue.message}" if issue.path else issue.message for issue in listed)
    first = next((issue for issue in listed if issue.code == "extra_forbidden"), listed[0])
    body = ErrorBody(
        error=ErrorCode.INVALID_INPUT,
        detail=words[:MAX_DETAIL_CHARS],
        field=first.path or None,
        issues=listed,
        retryable=False,
    )
    return answer(400, body)


def _issue(issue: Issue) -> IssueBody:
    return IssueBody(path=issue.path, code=issue.code, message=issue.message)


def of_deadline() -> Response:
    """The call took too long and was stopped."""
    detail = "this took too long and was stopped; try again"
    return answer(504, ErrorBody(error=ErrorCode.DEADLINE_EXCEEDED, detail=detail, retryable=True))


def correlation_id() -> str:
    """The trace id of the request, which every log line of it carries."""
    return f"{get_current_span().get_span_context().trace_id:032x}"


def of_fault(code: ErrorCode) -> Response:
    """A failure of our own: a fixed text and where to look."""
    detail = f"something failed on the server; correlation id {correlation_id()}"
    return answer(500, ErrorBody(error=code, detail=detail, retryable=False))
