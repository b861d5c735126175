"""What can go wrong, by kind; a transport maps the kind and never the leaf.

    Error
    ├── Unauthenticated      the credential no longer stands            HTTP 401
    │   └── TokenRevoked
    ├── Denied               may not do this                            HTTP 403
    │   ├── AccessSuspended
    │   └── InsufficientScope
    ├── InvalidRequest       the caller can repair it                   HTTP 400
    │   ├── InvalidCursor
    │   ├── InvalidLine
    │   └── UnscopedRetrieval
    ├── NotFound             unknown and foreign ids alike              HTTP 404
    ├── Conflict             the state does not allow it                HTTP 409
    │   ├── DuplicateMemory
    │   ├── InvalidTransition
    │   └── ExportUnderWay
    ├── LimitReached         a bound was met                            HTTP 409
    └── Unavailable          a dependency is down or too late           HTTP 503
        └── TookTooLong

`str(error)` is safe to show: it carries ids, kinds and lengths, never content.
"""

from collections.abc import Sequence

from threengram.schema.errors import ErrorCode, Issue


class Error(Exception):
    """A failure with a stable `code`; `field` is a wire path, `subject_id` the id of what it is about.

    `line` and `issues` are of input that came line by line.
    """

    code: ErrorCode = ErrorCode.INTERNAL_ERROR
    retryable = False
    line: int | None = None
    issues: Sequence[Issue] = ()

    def __init__(self, message: str, *, field: str | None = None, subject_id: str | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.subject_id = subject_id


class Unauthenticated(Error):
    """The credential does not identify anybody (any more)."""

    code = ErrorCode.UNAUTHENTICATED


class TokenRevoked(Unauthenticated):
    """Well signed and unexpired, but withdrawn or unknown."""

    def __init__(self) -> None:
        super().__init__("this credential is no longer valid")


class Denied(Error):
    """The caller is known and may not do this."""

    code = ErrorCode.ACCESS_DENIED


class AccessSuspended(Denied):
    """The account is suspended, erased or not verified."""

    def __init__(self, status: str) -> None:
        super().__init__(f"this account is {status}; memory can be neither read nor written")


class InsufficientScope(Denied):
    """The credential lacks a scope."""

    code = ErrorCode.INSUFFICIENT_SCOPE

    def __init__(self, scope: str) -> None:
        super().__init__(f"this needs the scope {scope}")
        self.scope = scope


class InvalidRequest(Error):
    """A smarter caller could have avoided this; `field` says where."""

    code = ErrorCode.INVALID_INPUT


class InvalidCursor(InvalidRequest):
    """A cursor that is garbled, forged, foreign, or belongs to another query."""

    code = ErrorCode.INVALID_CURSOR

    def __init__(self) -> None:
        super().__init__("this is no cursor of the same question; ask again without one", field="cursor")


class InvalidLine(InvalidRequest):
    """A line that can't be understood as a whole; those before it count, those after it were not looked at."""

    def __init__(self, line: int, issues: Sequence[Issue]) -> None:
        first = issues[0]
        words = f"{first.path}: {first.message}" if first.path else first.message
        super().__init__(f"line {line}: {words}", field=first.path or None)
        self.line = line
        self.issues = issues


class UnscopedRetrieval(InvalidRequest):
    """The tenant's policy wants a scope on every read."""

    code = ErrorCode.UNSCOPED_RETRIEVAL

    def __init__(self, scopes: list[str]) -> None:
        shown, more = scopes[:8], max(0, len(scopes) - 8)
        known = ", ".join(shown) + (f" and {more} more" if more else "") if shown else "none registered"
        super().__init__(f"a scope is required here; registered scopes: {known}", field="scope")


class NotFound(Error):
    """Nothing of that kind for this caller; unknown and foreign ids answer identically.

    `hint` is for what is the caller's own and of another kind.
    """

    code = ErrorCode.NOT_FOUND

    def __init__(
        self, kind: str, subject_id: str | None = None, *, field: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(f"no such {kind}" + (f"; {hint}" if hint else ""), field=field, subject_id=subject_id)


class Conflict(Error):
    """The present state does not allow it."""

    code = ErrorCode.CONFLICT


class DuplicateMemory(Conflict):
    """The same content is live already; `subject_id` names it."""

    code = ErrorCode.DUPLICATE_MEMORY

    def __init__(self, existing_id: str) -> None:
        super().__init__(
            f"the same content with this type, scope and project is stored as {existing_id}; revise that instead",
            subject_id=existing_id,
        )


class InvalidTransition(Conflict):
    """A commitment or a blocker cannot go from one status to the other."""

    code = ErrorCode.INVALID_TRANSITION

    def __init__(self, current: str, wanted: str, *, kind: str = "commitment") -> None:
        super().__init__(f"a {kind} cannot go from {current} to {wanted}", field="status")


class ExportUnderWay(Conflict):
    """The user takes an export already, here or in another replica."""

    retryable = True

    def __init__(self) -> None:
        super().__init__("an export of yours is under way; wait until it has ended")


class LimitReached(Error):
    """A bound of the account was met."""

    code = ErrorCode.RESOURCE_LIMIT_EXCEEDED


class Unavailable(Error):
    """A dependency is down or too late; the same call may succeed later."""

    code = ErrorCode.UNAVAILABLE
    retryable = True


class TookTooLong(Unavailable):
    """One statement passed its deadline. The database is there, so whoever repeats it counts how often."""

    def __init__(self) -> None:
        super().__init__("the database took too long")
