"""The arguments of an operation: a JSON body, or path and query, read by its input model."""

from types import UnionType
from typing import TypeVar, Union, get_args, get_origin

import orjson
from starlette.requests import Request

from threengram.api.failures import Refused
from threengram.runtime import lenient_json
from threengram.runtime.body import BodyTooLarge, BodyTooSlow, read_body
from threengram.schema.base import Input
from threengram.schema.errors import ErrorCode, Issue

In = TypeVar("In", bound=Input)
_CLOSE = {"connection": "close"}


def require(wanted: str, request: Request) -> None:
    """Raise `Refused` (415) unless the body is said to be of the media type, plain and in UTF-8 (RFC 8259, 8.1)."""
    media_type, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if media_type.strip().lower() != wanted or charset not in ("", "utf-8") or encoding != "identity":
        detail = f"send the body as {wanted} in UTF-8, not compressed"
        raise Refused(415, ErrorCode.UNSUPPORTED_MEDIA_TYPE, detail)


async def body_of(request: Request, *, max_bytes: int, timeout_s: float) -> bytes:
    """The body; raises `Refused` when it is too large or too slow."""
    try:
        return await read_body(request.receive, max_bytes=max_bytes, timeout_s=timeout_s)
    except BodyTooLarge:
        detail = f"the body is larger than {max_bytes} bytes"
        raise Refused(413, ErrorCode.PAYLOAD_TOO_LARGE, detail, headers=_CLOSE) from None
    except BodyTooSlow:
        detail = "the body did not arrive in time"
        raise Refused(408, ErrorCode.DEADLINE_EXCEEDED, detail, headers=_CLOSE, retryable=True) from None


class _NoQuery(Input):
    """What the query of a request with a body may hold: nothing."""


def from_body(model: type[In], body: bytes, request: Request) -> In:
    """The arguments in a body and the path; raises `pydantic.ValidationError`, or `Refused` when it is no JSON object.

    A member that the path names already is refused as unknown: one of the two would have to be ignored. Where the path
    names all that is required, no body at all is an empty one.
    """
    _NoQuery.parse(orjson.dumps(_query_of(request)))
    try:
        decoded = {} if not body and _names_all(model, request) else orjson.loads(body)
    except orjson.JSONDecodeError:
        raise _undecodable(body) from None
    if not isinstance(decoded, dict):
        raise Refused(400, ErrorCode.INVALID_INPUT, "the body is not a JSON object")
    repeated = lenient_json.repeated_of(body, decoded)
    if repeated is not None:
        raise _of_issue(repeated)
    for name in request.path_params.keys() & decoded.keys():
        raise Refused(400, ErrorCode.INVALID_INPUT, "the path names this already", field=name)
    decoded |= request.path_params
    # Written again, so that a number out of range means here what it means over MCP.
    try:
        return model.parse(orjson.dumps(decoded))
    except orjson.JSONEncodeError:
        # What was decoded can be encoded, but for its depth.
        raise Refused(400, ErrorCode.INVALID_INPUT, "the body is nested too deeply") from None


def _undecodable(body: bytes) -> Refused:
    try:
        issue = lenient_json.issue_of(lenient_json.decoded(body))
    except ValueError:
        issue = None
    if issue is None:
        return Refused(400, ErrorCode.INVALID_INPUT, "the body is not valid JSON in UTF-8, or too deep")
    return _of_issue(issue)


def _of_issue(issue: Issue) -> Refused:
    return Refused(400, ErrorCode.INVALID_INPUT, f"{issue.path}: {issue.message}", field=issue.path or None)


def from_url(model: type[In], request: Request) -> In:
    """The arguments in path and query; raises `pydantic.ValidationError`, for an unknown parameter too.

    A URL knows texts only, so a number or truth value may come as one here, and a list of one as its only member.
    """
    given: dict[str, object] = {**_query_of(request), **request.path_params}
    for name, field in model.model_fields.items():
        wire_name = field.alias or name
        if isinstance(given.get(wire_name), str) and _is_list(field.annotation):
            given[wire_name] = [given[wire_name]]
    return model.model_validate(given, strict=False, by_alias=True, by_name=False)


def _query_of(request: Request) -> dict[str, str | list[str]]:
    """Values by parameter; a list where one is repeated."""
    query = request.query_params
    return {name: values[0] if len(values) == 1 else values for name in query if (values := query.getlist(name))}


def _names_all(model: type[Input], request: Request) -> bool:
    """Whether the path holds every required argument."""
    required = {field.alias or name for name, field in model.model_fields.items() if field.is_required()}
    return bool(request.path_params) and required <= request.path_params.keys()


def _is_list(annotation: object) -> bool:
    """Whether a field holds a list, or a list or nothing."""
    options = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return any(get_origin(option) is list for option in options)
