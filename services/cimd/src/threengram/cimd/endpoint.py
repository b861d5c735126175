"""The HTTP side: `POST /v1/resolve`. Its callers are our own services, its input still comes from anybody."""

from typing import Final

from pydantic import ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from threengram.cimd.failures import Unresolved
from threengram.cimd.resolve import Documents
from threengram.runtime.body import BodyTooLarge, BodyTooSlow, ClientGone, read_body
from threengram.runtime.json import JsonResponse
from threengram.schema.errors import ErrorBody, ErrorCode, IssueBody, issues_of
from threengram.schema.oauth import ResolveRequest

# Room for the longest URL with every character escaped, and its key.
_MAX_BODY_BYTES: Final = 16_384
_BODY_TIMEOUT_S: Final = 5.0
_NO_STORE: Final = {"Cache-Control": "no-store"}


class Endpoint:
    """The one route over the documents of the process."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def resolve(self, request: Request) -> Response:
        """200 with a `ResolveResponse`, or a `ResolveError`; a request we can't read is an `ErrorBody`."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            return _refused(415, ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Send application/json")
        try:
            body = await read_body(request.receive, max_bytes=_MAX_BODY_BYTES, timeout_s=_BODY_TIMEOUT_S)
            asked = ResolveRequest.parse(body)
        except BodyTooLarge:
            return _refused(413, ErrorCode.PAYLOAD_TOO_LARGE, f"The body has more than {_MAX_BODY_BYTES} bytes")
        except BodyTooSlow:
            return _refused(408, ErrorCode.DEADLINE_EXCEEDED, "The body did not arrive in time")
        except ClientGone:
            raise ClientDisconnect from None
        except ValidationError as error:
            return _invalid(error)
        try:
            resolved = await self._documents.resolve(asked.client_id)
        except Unresolved as error:
            return _unresolved(error)
        return JsonResponse(resolved.wire(), headers=_NO_STORE)


def _unresolved(error: Unresolved) -> Response:
    headers = dict(_NO_STORE)
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    return JsonResponse(error.body().wire(), status_code=error.status, headers=headers)


def _refused(status: int, code: ErrorCode, detail: str) -> Response:
    retryable = code is ErrorCode.DEADLINE_EXCEEDED
    return JsonResponse(ErrorBody(error=code, detail=detail, retryable=retryable).wire(), status_code=status)


def _invalid(error: ValidationError) -> Response:
    issues = [IssueBody(path=issue.path, code=issue.code, message=issue.message) for issue in issues_of(error)]
    body = ErrorBody(error=ErrorCode.INVALID_INPUT, issues=issues, retryable=False)
    return JsonResponse(body.wire(), status_code=400)


async def gone(_request: Request, _disconnect: Exception) -> Response:
    """Starlette handler for a sender that no longer listens; nobody receives it, but logs and metrics do."""
    return Response(status_code=499)
