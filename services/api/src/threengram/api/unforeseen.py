"""What happens outside of every handler, an unknown route, a wrong method, a crash: said as whoever asks reads it.

A browser that opens an address gets a page, everything else the one error body.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ExceptionHandler

from threengram.api import failures
from threengram.api.operations import PREFIX
from threengram.api.pages import error_page
from threengram.schema.errors import ErrorBody, ErrorCode

_CODE_OF_STATUS: Final = {
    400: ErrorCode.INVALID_INPUT,
    404: ErrorCode.NOT_FOUND,
    405: ErrorCode.METHOD_NOT_ALLOWED,
}
_DETAIL_OF_STATUS: Final = {404: "no such route", 405: "this route does not take that method; see Allow"}
_PAGE_OF_STATUS: Final = {404: ("Not found", "There is no page at this address.")}


def _opens_a_page(request: Request) -> bool:
    """Whether it is a browser going somewhere: only that names HTML among what it takes (RFC 9110, section 12.5.1)."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(PREFIX)


async def _http_exception(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    status = error.status_code
    phrase = HTTPStatus(status).phrase
    if _opens_a_page(request):
        title, detail = _PAGE_OF_STATUS.get(status, (phrase, "This address can't be opened like that."))
        return error_page(status, title, detail, error.headers)
    code = _CODE_OF_STATUS.get(status, ErrorCode.INVALID_INPUT)
    body = ErrorBody(error=code, detail=_DETAIL_OF_STATUS.get(status, phrase), retryable=False)
    return failures.answer(status, body, error.headers)


async def _crash(request: Request, _error: Exception) -> Response:
    # The framework raises the error again, for the outermost layer to log.
    if _opens_a_page(request):
        detail = f"Something failed on the server. If you report it, name the number {failures.correlation_id()}."
        return error_page(500, "Something went wrong", detail)
    return failures.of_fault(ErrorCode.INTERNAL_ERROR)


EXCEPTION_HANDLERS: Final[Mapping[Any, ExceptionHandler]] = {
    HTTPException: _http_exception,
    500: _crash,
}
