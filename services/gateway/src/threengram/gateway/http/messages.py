"""JSON-RPC messages, told apart by their members (JSON-RPC 2.0, sections 4 and 5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from threengram.gateway.http.replies import rpc_error
from threengram.runtime import lenient_json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
FAILED = -32000
"""A failure of the server's own kind; `data.code` says which."""


@dataclass(frozen=True, slots=True)
class Request:
    """A message that is owed an answer. `body` is the message as it came."""

    id: str | int
    method: str
    params: Mapping[str, Any] | None
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Notice:
    """A message without an id, or an answer to a question that this server never asks: taken and dropped."""

    method: str | None


@dataclass(frozen=True, slots=True)
class Malformed:
    """Well-formed JSON that is no message."""

    why: str

    def reply(self) -> bytes:
        """The error; its id is null because the message's cannot be trusted."""
        return rpc_error(None, INVALID_REQUEST, self.why)


def message_of(body: object) -> Request | Notice | Malformed:
    """The message that a decoded JSON value is. The presence of `id`, not its value, makes a request."""
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        return Malformed('A message is an object with jsonrpc "2.0"')
    method = body.get("method")
    if method is None and "id" in body and ("result" in body or "error" in body):
        return Notice(None)
    params = body.get("params")
    if not isinstance(method, str) or not (params is None or isinstance(params, dict)):
        return Malformed("method is a string, params an object")
    if "id" not in body:
        return Notice(method)
    request_id = body["id"]
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        return Malformed("id is a string or an integer")
    return Request(request_id, method, params, body)


def lenient_tool_call(body: bytes) -> dict[str, Any] | None:
    """The tool call in which nothing but the arguments kept the fast parser from reading it; else None.

    It is owed an answer under its own id.
    """
    try:
        message = lenient_json.decoded(body)
        if message["method"] != "tools/call":
            return None
        orjson.dumps({**message, "params": {**message["params"], "arguments": None}})
    except (ValueError, TypeError, KeyError):
        return None
    return dict(message)
