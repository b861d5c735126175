"""JSON answers by orjson, and the error envelope that every failure of a plain HTTP route carries."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import orjson
from opentelemetry.trace import get_current_span
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ExceptionHandler

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


def crash_body(trace_id: str) -> bytes:
    """The envelope of an unexpected failure: a fixed text and the correlation id under which the log has it."""
    return error_body(error_code(500), f"Correlation id {trace_id}.")


async def answer_http_exception(_request: Request, error: Exception) -> Response:
    """Starlette handler for `HTTPException`: unknown routes and wrong methods answer with the envelope, Allow kept."""
    if not isinstance(error, HTTPException):
        raise error
    return error_response(error.status_code, headers=error.headers)


async def answer_crash(_request: Request, _error: Exception) -> Response:
    """Starlette handler for everything unforeseen. Starlette raises the error again, for `TraceMiddleware` to log."""
    trace_id = f"{get_current_span().get_span_context().trace_id:032x}"
    return Response(crash_body(trace_id), status_code=500, media_type="application/json")


# For `Starlette(exception_handlers=...)` and `FastAPI(exception_handlers=...)`.
EXCEPTION_HANDLERS: Final[Mapping[Any, ExceptionHandler]] = {HTTPException: answer_http_exception, 500: answer_crash}
