"""JSON answers by orjson, and the error envelope that every failure of a plain HTTP route carries."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

_CODES: Final[Mapping[int, str]] = {
    400: "invalid_input",
    401: "unauthorized",
    403: "access_denied",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    410: "gone",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    500: "internal_error",
    503: "service_unavailable",
    504: "deadline_exceeded",
}


class JsonResponse(Response):
    """A response whose content is serialised by orjson."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Compact UTF-8 JSON."""
        return orjson.dumps(content)


def error_code(status: int) -> str:
    """The envelope's code for an HTTP status that no more exact code explains."""
    return _CODES.get(status) or HTTPStatus(status).name.lower()


def error_body(error: str, detail: str | None = None) -> bytes:
    """`{"error", "detail"?}`; `detail` is recovery text that is safe for the caller, at most 512 characters."""
    return orjson.dumps({"error": error} if detail is None else {"error": error, "detail": detail[:512]})


def error_response(
    status: int, error: str | None = None, detail: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """The error envelope as a response; the code defaults to the one of the status."""
    body = error_body(error or error_code(status), detail)
    return Response(body, status_code=status, headers=headers, media_type="application/json")


async def http_exception_handler(_request: Request, error: Exception) -> Response:
    """Starlette handler for `HTTPException`: unknown routes and wrong methods answer with the envelope, Allow kept."""
    if not isinstance(error, HTTPException):
        return error_response(500)
    return error_response(error.status_code, headers=error.headers)
