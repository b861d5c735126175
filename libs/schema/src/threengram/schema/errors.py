"""The one list of machine-readable codes, and what a validation failure tells its caller."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from threengram.schema.base import Output, present
from threengram.schema.reading import Vocabulary

MAX_REPORTED_ISSUES = 8
MAX_PATH_CHARS = 128
MAX_DETAIL_CHARS = 512


class ErrorCode(Vocabulary):
    """Stable codes. MCP puts one first in the text and in `_meta.code`, REST into `error`."""

    INVALID_INPUT = "invalid_input"
    UNKNOWN_ARGUMENT = "unknown_argument"
    UNSCOPED_RETRIEVAL = "unscoped_retrieval"
    INVALID_CURSOR = "invalid_cursor"
    DUPLICATE_MEMORY = "duplicate_memory"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    INVALID_TRANSITION = "invalid_transition"
    UNAUTHENTICATED = "unauthorized"
    ACCESS_DENIED = "access_denied"
    INSUFFICIENT_SCOPE = "insufficient_scope"
    RESOURCE_LIMIT_EXCEEDED = "resource_limit_exceeded"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    INVALID_OUTPUT = "invalid_output"
    INTERNAL_ERROR = "internal_error"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"


MEANINGS = {
    ErrorCode.INVALID_INPUT: "An argument is missing or breaks a rule; `field` and `issues` say where and which",
    ErrorCode.UNKNOWN_ARGUMENT: "There is no such argument: the copy of the tool list may be stale",
    ErrorCode.UNSCOPED_RETRIEVAL: "The account wants a scope on every read; the text names the scopes",
    ErrorCode.INVALID_CURSOR: "The cursor belongs to another question or is garbled: ask again without one",
    ErrorCode.DUPLICATE_MEMORY: "The same content is stored with this type, scope and project, as `id`",
    ErrorCode.NOT_FOUND: "Nothing of that kind is here for this caller",
    ErrorCode.CONFLICT: "The present state does not allow it, for instance because a memory is superseded",
    ErrorCode.INVALID_TRANSITION: "A commitment or blocker can't go from its status to the one that was asked for",
    ErrorCode.UNAUTHENTICATED: "The credential is missing, unknown, expired or revoked",
    ErrorCode.ACCESS_DENIED: "The account is suspended, erased or not verified",
    ErrorCode.INSUFFICIENT_SCOPE: "The credential lacks the scope that is named",
    ErrorCode.RESOURCE_LIMIT_EXCEEDED: "A bound of the account was met",
    ErrorCode.RATE_LIMITED: "Too many calls: wait as long as `Retry-After` says",
    ErrorCode.UNAVAILABLE: "Something behind the server is down or late: try again",
    ErrorCode.DEADLINE_EXCEEDED: "The call took too long and was stopped: try again",
    ErrorCode.INVALID_OUTPUT: "The server made an answer that it may not send; the text holds a correlation id",
    ErrorCode.INTERNAL_ERROR: "Something failed that nobody foresaw; the text holds a correlation id",
    ErrorCode.METHOD_NOT_ALLOWED: "REST: this route has no such method; `Allow` names those it has",
    ErrorCode.PAYLOAD_TOO_LARGE: "REST: the body is too large",
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: "REST: the body is not JSON in UTF-8, or is compressed",
}
"""What each code tells whoever meets it."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing wrong with an input: where, which rule, and the rule in words. Never the value."""

    path: str
    code: str
    message: str


FIELD = "field"
"""The key under which a rule about a whole model names, in its error's context, the field to change."""

_MESSAGES = {
    "union_tag_invalid": "The value does not name one of the known forms",
    "extra_forbidden": "Unknown argument",
}


def issues_of(error: ValidationError) -> list[Issue]:
    """The first few problems of a failed validation, as field paths such as `facts[2].value`."""
    return [
        Issue(
            path=path_of(_location(item)),
            code=item["type"],
            message=_MESSAGES.get(item["type"], item["msg"]),
        )
        for item in error.errors(include_url=False, include_input=False)[:MAX_REPORTED_ISSUES]
    ]


def _location(item: ErrorDetails) -> Sequence[str | int]:
    field = item.get("ctx", {}).get(FIELD)
    return item["loc"] if field is None else (*item["loc"], field)


def path_of(location: Sequence[str | int]) -> str:
    """A place in an input as callers read it, bounded and printable."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    printable = "".join(char if char.isprintable() else "?" for char in path)
    return printable[:MAX_PATH_CHARS]


class IssueBody(Output):
    """An `Issue` on the wire."""

    path: str
    code: str
    message: str


class ErrorBody(Output):
    """The body of every failed REST request. `detail` is at most `MAX_DETAIL_CHARS`, and safe to show to anybody."""

    error: ErrorCode
    detail: str | None = present("What went wrong, in words")
    field: str | None = present("Where in the input")
    id: str | None = present("What it is about")
    line: int | None = present("Which line of what was sent, from 1 on")
    issues: list[IssueBody] | None = present("Everything that is wrong with the input, as far as it was looked at")
    retryable: bool
