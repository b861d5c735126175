"""Why there is no document: what the parts of the service raise, and what its caller is told."""

from collections.abc import Mapping, Sequence
from typing import Final

from threengram.schema.errors import Issue, IssueBody
from threengram.schema.oauth import ResolveError, ResolveFailure

_DETAILS: Final[Mapping[ResolveFailure, str]] = {
    ResolveFailure.INVALID_CLIENT_ID: "The client identifier is no URL that may name a metadata document",
    ResolveFailure.UNSAFE_ADDRESS: "The host has an address that is not on the public internet",
    ResolveFailure.UNSAFE_REDIRECT: "The document redirects to a URL that may not name one",
    ResolveFailure.TOO_MANY_REDIRECTS: "The document redirects too often",
    ResolveFailure.HOST_NOT_FOUND: "The host has no address",
    ResolveFailure.DNS_FAILURE: "The name servers gave no answer",
    ResolveFailure.FETCH_FAILURE: "The host did not answer",
    ResolveFailure.TLS_FAILURE: "The host did not prove its name",
    ResolveFailure.DOCUMENT_MISSING: "The host says that there is no document",
    ResolveFailure.DOCUMENT_UNAVAILABLE: "The host can't answer at the moment",
    ResolveFailure.INVALID_RESPONSE: "The response is too long, encoded, or no JSON",
    ResolveFailure.INVALID_DOCUMENT: "The document breaks a rule",
    ResolveFailure.DEADLINE_EXCEEDED: "The document did not arrive in time",
    ResolveFailure.CAPACITY_EXCEEDED: "Too many documents are being fetched",
    ResolveFailure.QUOTA_EXCEEDED: "Too many new documents were asked for",
}
_OWN: Final = frozenset({ResolveFailure.CAPACITY_EXCEEDED, ResolveFailure.QUOTA_EXCEEDED})


class Unresolved(Exception):
    """There is no document. `detail` says why in fixed words, without anything that came from outside."""

    def __init__(
        self,
        failure: ResolveFailure,
        detail: str | None = None,
        *,
        issues: Sequence[Issue] = (),
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.detail = _DETAILS[failure] if detail is None else detail
        self.issues = tuple(issues)
        self.retry_after_s = retry_after_s

    def again(self, retry_after_s: int | None = None) -> "Unresolved":
        """The same once more, without the frames that a raised exception holds on to."""
        return Unresolved(self.failure, self.detail, issues=self.issues, retry_after_s=retry_after_s)

    @property
    def status(self) -> int:
        """The HTTP status: ours is 503, theirs a 502 while it may pass, and 422 when it is what they say for good."""
        if self.failure in _OWN:
            return 503
        if self.failure is ResolveFailure.DEADLINE_EXCEEDED:
            return 504
        if self.failure is ResolveFailure.INVALID_CLIENT_ID:
            return 400
        return 502 if self.failure.is_retryable else 422

    def body(self) -> ResolveError:
        """What the caller is told."""
        issues = [IssueBody(path=issue.path, code=issue.code, message=issue.message) for issue in self.issues]
        return ResolveError(
            error=self.failure,
            detail=self.detail,
            retryable=self.failure.is_retryable,
            retry_after_s=self.retry_after_s,
            issues=issues or None,
        )
