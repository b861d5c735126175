"""What a caller is told when a call fails: a stable code first, then words; paths and ids, never a value it sent."""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from threengram.core.errors import Error
from threengram.schema.errors import ErrorCode, Issue, issues_of

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")
_STALE = "Your copy of the tool list may be stale: list the tools again."


@dataclass(frozen=True, slots=True)
class Failure:
    """One refused or failed call. `field` is a path into the arguments, `subject_id` the id of what it is about."""

    code: ErrorCode
    message: str
    retryable: bool = False
    field: str | None = None
    subject_id: str | None = None
    issues: tuple[Issue, ...] = ()

    @property
    def text(self) -> str:
        """For the model, which sees no `_meta`: the code, then where, what, and what about."""
        where = f"{self.field}: " if self.field and not self.issues else ""
        # A text that names a memory says what to do with it; a second id beside it would be taken for that one.
        what_about = f" [{self.subject_id}]" if self.subject_id and not _ID.search(self.message) else ""
        return f"{self.code}: {where}{self.message}{what_about}"

    @property
    def meta(self) -> dict[str, Any]:
        """For programs: `{code, retryable, field?, id?, issues?}`."""
        meta: dict[str, Any] = {"code": str(self.code), "retryable": self.retryable}
        if self.field:
            meta["field"] = self.field
        if self.subject_id is not None:
            meta["id"] = self.subject_id
        if self.issues:
            meta["issues"] = [{"path": i.path, "code": i.code, "message": i.message} for i in self.issues]
        return meta


def of_arguments(error: ValidationError) -> Failure:
    """Arguments that the input model refuses. An unknown key most often means an old copy of the tool list."""
    issues = tuple(issues_of(error))
    unknown = [issue for issue in issues if issue.code == "extra_forbidden"]
    words = "; ".join(f"{issue.path}: {issue.message}" if issue.path else issue.message for issue in issues)
    if unknown:
        return Failure(ErrorCode.UNKNOWN_ARGUMENT, f"{words}. {_STALE}", field=unknown[0].path, issues=issues)
    return Failure(ErrorCode.INVALID_INPUT, words, field=issues[0].path, issues=issues)


def of_core(error: Error) -> Failure:
    """A refusal by core; its text is safe to show."""
    return Failure(error.code, str(error), error.retryable, error.field, error.subject_id)


def of_unwritable(issue: Issue | None) -> Failure:
    """Arguments that could be decoded and can't be encoded: by what they hold, or by their depth."""
    if issue is None:
        return Failure(ErrorCode.INVALID_INPUT, "the arguments are nested too deeply")
    return Failure(ErrorCode.INVALID_INPUT, f"{issue.path}: {issue.message}", field=issue.path, issues=(issue,))


DEADLINE_EXCEEDED = Failure(
    ErrorCode.DEADLINE_EXCEEDED, "this took too long and was stopped. Try again.", retryable=True
)


def of_output(correlation_id: str) -> Failure:
    """An answer that its own contract refuses: our mistake."""
    return Failure(
        ErrorCode.INVALID_OUTPUT,
        f"the server made an answer that it may not send. Correlation id {correlation_id}.",
    )


def of_crash(correlation_id: str) -> Failure:
    """Anything that nobody foresaw: a fixed text and where to look."""
    return Failure(ErrorCode.INTERNAL_ERROR, f"something failed on the server. Correlation id {correlation_id}.")
