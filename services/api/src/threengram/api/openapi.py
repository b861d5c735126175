"""The OpenAPI 3.1 description, generated from the operations; `python -m threengram.api.openapi` prints it.

Request schemas are closed, response schemas open and loose, both as over MCP: a client generated today must not break
on tomorrow's field or value.
"""

import sys
from functools import cache
from typing import Any, Final

import orjson
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import JSONResponse

from threengram.api.exports import NDJSON, Download
from threengram.api.operations import OPERATIONS, PREFIX, AnyOperation, DownloadOperation, UploadOperation
from threengram.api.operations.environment import VERSION
from threengram.schema.advertise import input_schema, output_schema
from threengram.schema.errors import ErrorBody

TITLE: Final = "3ngram"
DESCRIPTION: Final = (
    "Long-term, typed memory for AI agents. Every failure has the body `Error`, whose `error` is a stable code; "
    "`field` and `issues` say where in the input, never what was there. Unknown members and parameters are refused."
)
_JSON: Final = "application/json"
_ERROR: Final = {"$ref": "#/components/schemas/Error"}
_RATE_HEADERS: Final = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_SECURITY: Final = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "bearer": {"type": "http", "scheme": "bearer", "description": "The same key, or an access token for this API."},
}

_FAILURES: Final = {
    400: "The input is not acceptable",
    401: "No credential, or one that opens nothing",
    403: "The credential lacks the scope, or the account may not be served",
    404: "Unknown, or not the caller's",
    408: "The body did not arrive in time",
    409: "The present state does not allow it",
    413: "The body is too large",
    415: "The body is of another kind, or compressed",
    429: "Too many calls",
    500: "A failure of the server",
    503: "A dependency is down; try again",
    504: "It took too long and was stopped",
}
_HEADERS_OF: Final = {
    401: ("WWW-Authenticate",),
    403: _RATE_HEADERS,
    429: (*_RATE_HEADERS, "Retry-After"),
    503: ("Retry-After",),
}


@cache
def document(operations: tuple[AnyOperation, ...]) -> bytes:
    """The description of the operations, the same bytes on every machine; made once, since it takes half a second."""
    routes = FastAPI(openapi_url=None)
    for operation in operations:
        routes.add_api_route(PREFIX + operation.path, _unserved, methods=[operation.method], **_documented(operation))
    described = get_openapi(
        title=TITLE, version=VERSION, description=DESCRIPTION, routes=routes.routes, openapi_version="3.1.0"
    )
    described["components"] = {"schemas": {"Error": output_schema(ErrorBody)}, "securitySchemes": _SECURITY}
    return orjson.dumps(described, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _documented(operation: AnyOperation) -> dict[str, Any]:
    needs = "" if operation.scope is None else f"\n\nNeeds the scope `{operation.scope}`."
    return {
        "operation_id": operation.name,
        "summary": operation.title,
        "description": operation.description + needs,
        "tags": [operation.tag],
        "status_code": operation.status,
        "response_model": None,
        "response_class": Download if isinstance(operation, DownloadOperation) else JSONResponse,
        "responses": _responses(operation),
        "openapi_extra": _extra(operation),
    }


async def _unserved() -> None:
    """Stands for the endpoint of a route that is only described."""


def _responses(operation: AnyOperation) -> dict[int | str, dict[str, Any]]:
    absent = set() if operation.can_be_missing else {404}
    absent |= set() if operation.can_conflict else {409}
    absent |= set() if operation.has_body or isinstance(operation, UploadOperation) else {408, 413, 415}
    media_type = NDJSON if isinstance(operation, DownloadOperation) else _JSON
    success = _response("Success", output_schema(operation.output), _RATE_HEADERS, media_type)
    responses: dict[int | str, dict[str, Any]] = {operation.status: success}
    for status, text in _FAILURES.items():
        if status not in absent:
            responses[status] = _response(text, _ERROR, _HEADERS_OF.get(status, ()))
    return responses


def _response(
    description: str, schema: dict[str, Any], headers: tuple[str, ...], media_type: str = _JSON
) -> dict[str, Any]:
    response: dict[str, Any] = {"description": description, "content": {media_type: {"schema": schema}}}
    if headers:
        response["headers"] = {name: {"schema": {"type": "string"}} for name in headers}
    return response


def _extra(operation: AnyOperation) -> dict[str, Any]:
    extra: dict[str, Any] = {"security": [{"apiKey": []}, {"bearer": []}]}
    schema = input_schema(operation.input)
    outside = {name for name in schema["properties"] if not operation.has_body or f"{{{name}}}" in operation.path}
    if outside:
        extra["parameters"] = [
            _parameter(operation, name, node, schema) for name, node in schema["properties"].items() if name in outside
        ]
    if operation.has_body:
        body = _without(schema, outside)
        extra["requestBody"] = {"required": bool(body.get("required")), "content": {_JSON: {"schema": body}}}
    if isinstance(operation, UploadOperation):
        extra["requestBody"] = {"required": True, "content": {NDJSON: {"schema": output_schema(operation.line)}}}
    return extra


def _without(schema: dict[str, Any], names: set[str]) -> dict[str, Any]:
    properties = {name: node for name, node in schema["properties"].items() if name not in names}
    required = [name for name in schema.get("required", ()) if name not in names]
    return {**schema, "properties": properties, "required": required}


def _parameter(operation: AnyOperation, name: str, node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    in_path = f"{{{name}}}" in operation.path
    required = in_path or name in schema.get("required", ())
    return {"name": name, "in": "path" if in_path else "query", "required": required, "schema": node}


if __name__ == "__main__":
    sys.stdout.buffer.write(document(OPERATIONS))
