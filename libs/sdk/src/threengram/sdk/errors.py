"""What can go wrong, by kind. Every error says whether the same call may succeed later (`retryable`).

    ThreengramError
    ├── ApiError               the API said no, or would have: the arguments were refused before they were sent
    │   ├── InvalidInput       the arguments are not acceptable            InvalidCursor, UnscopedRetrieval
    │   ├── Unauthenticated    the credential opens nothing
    │   ├── AccessDenied       the credential may not do this              InsufficientScope
    │   ├── NotFound           unknown, or somebody else's
    │   ├── Conflict           the present state does not allow it         DuplicateMemory, InvalidTransition
    │   ├── LimitReached       a bound of the account was met
    │   ├── RateLimited        too many calls
    │   └── ServerError        the server failed                           Unavailable, DeadlineExceeded
    ├── Unreachable            no answer: the connection failed or broke   TimedOut
    └── UnreadableAnswer       an answer that is not the API's

An error holds codes, paths, ids and words of the server, which never repeat what was sent; it holds no credential.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from threengram.schema.errors import ErrorCode, Issue


class ThreengramError(Exception):
    """A call that brought no answer of the kind it promises."""

    retryable: bool = False


class Unreachable(ThreengramError):
    """No answer came. A write may have been carried out all the same, unless `was_sent` is False."""

    retryable = True

    def __init__(self, reason: str, *, was_sent: bool = True) -> None:
        super().__init__(reason)
        self.was_sent = was_sent


class TimedOut(Unreachable):
    """No answer came in time."""


class UnreadableAnswer(ThreengramError):
    """The answer is not what this version of the API promises; something else may listen at that address."""


@dataclass(frozen=True)
class Failure:
    """What is known about a refusal. `status` is None for arguments that were refused before they were sent."""

    status: int | None
    code: str
    detail: str
    field: str | None = None
    id: str | None = None
    issues: tuple[Issue, ...] = ()
    retryable: bool = False
    retry_after_s: float | None = None
    line: int | None = None


class ApiError(ThreengramError):
    """A refusal, with the `code` that programs tell it by and the wire path of the `field` it is about, if any.

    `id` is that of the memory, proposal or other thing in question; `issues` lists everything found wrong with the
    arguments; `retry_after_s` is how long the server asks to be left alone, in seconds; `line` is that of a file.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure
        self.status = failure.status
        self.code = failure.code
        self.detail = failure.detail
        self.field = failure.field
        self.id = failure.id
        self.issues = failure.issues
        self.retryable = failure.retryable
        self.retry_after_s = failure.retry_after_s
        self.line = failure.line

    def __str__(self) -> str:
        about = "" if self.id is None else f" ({self.id})"
        return f"{self.code}: {self.detail}{about}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(status={self.status}, code={self.code!r}, field={self.field!r}, id={self.id!r})"


class InvalidInput(ApiError):
    """The arguments are not acceptable; `field` and `issues` say where."""


class InvalidCursor(InvalidInput):
    """The cursor belongs to another question, or is no cursor; begin again without it."""


class UnscopedRetrieval(InvalidInput):
    """The account wants a scope on every read; the detail names the registered ones."""


class Unauthenticated(ApiError):
    """No credential, or one that is unknown, expired or revoked."""


class AccessDenied(ApiError):
    """The credential is good and may not do this, or the account may not be served."""


class InsufficientScope(AccessDenied):
    """The credential lacks the scope that the detail names."""


class NotFound(ApiError):
    """Nothing of that id for this caller; unknown ids and those of others are not told apart."""


class Conflict(ApiError):
    """The present state does not allow it."""


class DuplicateMemory(Conflict):
    """The same content is live with this type, scope and project; `id` names the memory in the way."""


class InvalidTransition(Conflict):
    """A commitment can't go from its status to the wanted one."""


class LimitReached(ApiError):
    """A bound of the account was met."""


class RateLimited(ApiError):
    """Too many calls; `retry_after_s` says when to come back."""


class ServerError(ApiError):
    """The server failed; a correlation id in the detail leads its operator to the cause."""


class Unavailable(ServerError):
    """Something the server needs is down or too late."""


class DeadlineExceeded(ServerError):
    """The call took the server too long and was stopped."""


OF_CODE: Final[Mapping[str, type[ApiError]]] = {
    ErrorCode.INVALID_CURSOR: InvalidCursor,
    ErrorCode.UNSCOPED_RETRIEVAL: UnscopedRetrieval,
    ErrorCode.INSUFFICIENT_SCOPE: InsufficientScope,
    ErrorCode.DUPLICATE_MEMORY: DuplicateMemory,
    ErrorCode.INVALID_TRANSITION: InvalidTransition,
    ErrorCode.RESOURCE_LIMIT_EXCEEDED: LimitReached,
    ErrorCode.UNAVAILABLE: Unavailable,
    ErrorCode.DEADLINE_EXCEEDED: DeadlineExceeded,
}
"""Kinds that have a code of their own."""

OF_STATUS: Final[Mapping[int, type[ApiError]]] = {
    400: InvalidInput,
    401: Unauthenticated,
    403: AccessDenied,
    404: NotFound,
    409: Conflict,
    413: InvalidInput,
    415: InvalidInput,
    429: RateLimited,
    503: Unavailable,
    504: DeadlineExceeded,
}
"""What a status means where its code says no more, or one that is not known yet."""


def api_error(failure: Failure) -> ApiError:
    """The error of the kind that the code names, else the status."""
    status = failure.status or 400
    kind = OF_CODE.get(failure.code) or OF_STATUS.get(status) or (ServerError if status >= 500 else ApiError)
    return kind(failure)
