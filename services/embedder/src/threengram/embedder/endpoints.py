"""The HTTP side: `POST /v1/embeddings` and `GET /v1/models`, in the OpenAI format."""

import asyncio
import base64
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, Self

import numpy as np
import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive

from threengram.embedder.engine import Answer, Row
from threengram.embedder.engines import Engines
from threengram.embedder.errors import Refusal
from threengram.embedder.intake import Intake, parse
from threengram.runtime import metrics
from threengram.runtime.json import error_code
from threengram.schema.embedding import EmbeddingPriority, EmbeddingRequest, EncodingFormat, WindowMode

# nginx's status for a client that closed the connection; nobody receives it, but logs and metrics do.
CLIENT_CLOSED_REQUEST = 499
# OpenAI clients require a creation time. The model's is not known, and nothing depends on it.
_MODEL_CREATED = 0


class Serving(Protocol):
    """Where the endpoints find the engines, which exist only after the process has started."""

    @property
    def engines(self) -> Engines:
        """The loaded engines. Raises `Unready`."""
        ...


class Endpoints:
    """The two routes over the engines."""

    def __init__(self, serving: Serving, intake: Intake) -> None:
        self._serving = serving
        self._intake = intake

    async def models(self, _request: Request) -> Response:
        """`GET /v1/models`: what is served, in the order of its declaration."""
        cards = [
            {
                "id": engine.model.name,
                "object": "model",
                "created": _MODEL_CREATED,
                "owned_by": "threengram",
                "dimensions": engine.model.dimensions,
                "window_pieces": engine.model.window_pieces,
            }
            for engine in self._serving.engines
        ]
        return _json({"object": "list", "data": cards})

    async def embeddings(self, request: Request) -> Response:
        """`POST /v1/embeddings`; stops working on it when its sender goes away."""
        with self._intake.slot() as slot, _Observed() as observed:
            body = await slot.read(request)
            parsed = parse(body)
            observed.priority = parsed.priority
            with _cancelled_when_gone(request.receive):
                answer = await self._serving.engines.answer(parsed)
            return _json(_body(parsed, answer))


class _Observed:
    """Times one embedding request; the outcome follows from the exception that ends it."""

    def __init__(self) -> None:
        self.priority: EmbeddingPriority | None = None
        self._started_at = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        outcome = "ok" if error is None else "error"
        if isinstance(error, Refusal):
            outcome = error.outcome
        elif isinstance(error, ClientDisconnect):
            outcome = "cancelled"
        elapsed_s = time.perf_counter() - self._started_at
        priority = metrics.closed(self.priority, metrics.EMBEDDING_PRIORITIES)
        metrics.EMBEDDER_REQUESTS.labels(priority, outcome).observe(elapsed_s)


@contextmanager
def _cancelled_when_gone(receive: Receive) -> Iterator[None]:
    """Cancel the block when the client disconnects, which then raises `ClientDisconnect`.

    Like `asyncio.timeout` on the task itself: a task group and its scopes cost a fifth of a short query.
    """
    work = asyncio.current_task()
    assert work is not None
    watch = asyncio.create_task(_gone(receive))
    watch.add_done_callback(lambda ended: None if ended.cancelled() else work.cancel())
    try:
        yield
    except asyncio.CancelledError:
        if watch.done() and not watch.cancelled() and work.uncancel() == 0:
            raise ClientDisconnect from None
        raise
    finally:
        watch.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _body(request: EmbeddingRequest, answer: Answer) -> dict[str, Any]:
    return {
        "object": "list",
        "model": request.model,
        "data": [_datum(request, row) for row in answer.rows],
        "usage": {"prompt_tokens": answer.tokens, "total_tokens": answer.tokens},
    }


def _datum(request: EmbeddingRequest, row: Row) -> dict[str, Any]:
    vector = row.vector.astype("<f4", copy=False)
    is_base64 = request.encoding_format is EncodingFormat.BASE64
    datum: dict[str, Any] = {
        "object": "embedding",
        "index": row.index,
        "embedding": base64.b64encode(vector.tobytes()).decode() if is_base64 else np.ascontiguousarray(vector),
    }
    if request.windows is not WindowMode.NONE:
        datum |= {"window": row.window, "window_count": row.window_count, "omitted_windows": row.omitted_windows}
    return datum


def _json(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    body = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(body, status_code=status, headers=headers, media_type="application/json")


def _error(status: int, message: str, kind: str, code: str, headers: Mapping[str, str] | None = None) -> Response:
    return _json({"error": {"message": message, "type": kind, "code": code}}, status, headers)


async def refused(_request: Request, error: Exception) -> Response:
    """Starlette handler for `Refusal`."""
    if not isinstance(error, Refusal):
        raise error
    headers = None if error.retry_after_s is None else {"Retry-After": str(math.ceil(error.retry_after_s))}
    return _error(error.status, error.message, error.type, error.code, headers)


async def gone(_request: Request, _disconnect: Exception) -> Response:
    """Starlette handler for a sender that no longer listens."""
    return Response(status_code=CLIENT_CLOSED_REQUEST)


async def failed(_request: Request, _defect: Exception) -> Response:
    """Starlette handler for defects, which are logged further out."""
    return _error(500, "internal error", "server_error", error_code(500))


async def http_error(_request: Request, error: Exception) -> Response:
    """Starlette handler for unknown paths and wrong methods."""
    if not isinstance(error, HTTPException):
        raise error
    code = error_code(error.status_code)
    return _error(error.status_code, code.replace("_", " "), "invalid_request_error", code, error.headers)
