"""HTTP answers and JSON-RPC bodies as bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.types import Send

JSON_HEADER = (b"content-type", b"application/json")
RequestId = str | int | None
Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """One complete HTTP answer. An empty body is sent without a content type."""

    status: int
    body: bytes = b""
    headers: Headers = ()

    async def send(self, send: Send) -> None:
        """Send it through ASGI."""
        headers = [*self.headers]
        if self.body:
            headers.append(JSON_HEADER)
        if self.status != 204:
            headers.append((b"content-length", str(len(self.body)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def rpc_result(request_id: RequestId, result: Mapping[str, Any] | orjson.Fragment) -> bytes:
    """A JSON-RPC success."""
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, "result": result})


def rpc_error(request_id: RequestId, code: int, message: str, data: Any = None) -> bytes:
    """A JSON-RPC failure; `id` is null where the request's could not be read (JSON-RPC 2.0, section 5)."""
    error = {"code": code, "message": message} if data is None else {"code": code, "message": message, "data": data}
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, "error": error})


def plain_error(error: str, description: str) -> bytes:
    """The body of an answer that is about HTTP or OAuth rather than about a message (RFC 6750, section 3.1)."""
    return orjson.dumps({"error": error, "error_description": description})
