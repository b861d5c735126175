"""What came back, as what it means: the promised answer, or the error."""

import httpx2
from pydantic import TypeAdapter, ValidationError

from threengram.schema.errors import ErrorBody, ErrorCode, Issue, issues_of
from threengram.schema.reading import Out, read
from threengram.schema.retry_after import retry_after_s
from threengram.sdk.errors import ApiError, Failure, InvalidInput, UnreadableAnswer, api_error

_ERROR_BODY: TypeAdapter[ErrorBody] = TypeAdapter(ErrorBody)
_RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})
"""Of something between here and the API, which has no error body of ours to say so."""


def answer_of(form: TypeAdapter[Out], response: httpx2.Response) -> Out:
    """The answer in a successful response; raises `UnreadableAnswer`."""
    try:
        return read(form, response.content)
    except ValidationError as error:
        raise unreadable(f"the answer with status {response.status_code}", error) from None


def unreadable(what: str, error: ValidationError) -> UnreadableAnswer:
    """The error for something that has another form than the API promises: where, and which rule; never the value."""
    issues = ", ".join(f"{issue.path or 'the whole'}: {issue.code}" for issue in issues_of(error))
    return UnreadableAnswer(f"{what} is not what the API promises ({issues})")


def failure_of(response: httpx2.Response) -> ApiError:
    """The error that a response without success stands for."""
    status = response.status_code
    wait_s = retry_after_s(response.headers.get("retry-after"))
    try:
        body = read(_ERROR_BODY, response.content)
    except ValidationError:
        detail = f"{httpx2.codes.get_reason_phrase(status) or 'no known status'}, without a word of the API"
        retryable = status in _RETRYABLE_STATUSES
        return api_error(Failure(status, f"http_{status}", detail, retryable=retryable, retry_after_s=wait_s))
    issues = tuple(Issue(issue.path, issue.code, issue.message) for issue in body.issues or ())
    code, detail = str(body.error), body.detail or str(body.error)
    return api_error(Failure(status, code, detail, body.field, body.id, issues, body.retryable, wait_s, body.line))


def refusal_of(error: ValidationError) -> InvalidInput:
    """The error for arguments that never were sent, with the fields, codes and words that the API would have used."""
    issues = tuple(issues_of(error))
    words = "; ".join(f"{issue.path}: {issue.message}" if issue.path else issue.message for issue in issues)
    first = next((issue for issue in issues if issue.code == "extra_forbidden"), issues[0])
    return InvalidInput(Failure(None, ErrorCode.INVALID_INPUT.value, words, field=first.path or None, issues=issues))
