"""The HTTP side: `POST /v1/embeddings` and `GET /v1/models`, and the process around them."""

import base64
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self

import anyio
import numpy as np
import orjson
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive

from threengram.embedder.engine import Answer, Engine, Row
from threengram.embedder.errors import Overloaded, Refusal, Unready
from threengram.embedder.hashing import HashingModel
from threengram.embedder.intake import Intake, parse
from threengram.embedder.model import OnnxModel
from threengram.embedder.settings import Provider, Settings
from threengram.embedder.spec import bundled, from_directory
from threengram.runtime import metrics
from threengram.runtime.health import Health
from threengram.runtime.json import error_code
from threengram.runtime.logging import get_logger
from threengram.runtime.telemetry import TraceMiddleware, starlette_route
from threengram.schema.embedding import EmbeddingPriority, EmbeddingRequest, EncodingFormat, WindowMode

# nginx's status for a client that closed the connection; nobody receives it, but logs and metrics do.
CLIENT_CLOSED_REQUEST = 499
_MODEL_CREATED = 0

_log = get_logger(__name__)


def load_engine(settings: Settings) -> Engine:
    """The engine of the configured provider, after one inference. Blocks for about a second."""
    if settings.provider is Provider.HASH:
        model = HashingModel()
        return Engine(model, model, settings)
    spec = bundled() if settings.model_dir is None else from_directory(settings.model_dir)
    foreground = OnnxModel(spec, threads=settings.threads)
    # With one thread a run belongs to its calling thread, so backfill needs no copy of the weights to be apart.
    background = foreground if settings.threads == 1 else OnnxModel(spec, threads=1)
    return Engine(foreground, background, settings)


class Embedder:
    """The state of the process: its settings, and the engine once it is loaded."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine: Engine | None = None
        self._intake = Intake(max_body_bytes=settings.max_body_bytes, max_pending_bytes=settings.max_pending_body_bytes)

    @property
    def engine(self) -> Engine:
        """The loaded engine. Raises `Unready`."""
        if self._engine is None:
            raise Unready("the model is not loaded")
        return self._engine

    async def check(self) -> None:
        """Readiness: the model is loaded, has run once, and its lanes work."""
        await self.engine.check()

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Load, warm up and start; stop at the end."""
        started_at = time.monotonic()
        engine = await to_thread.run_sync(load_engine, self._settings)
        engine.start()
        self._engine = engine
        _log.info("model_loaded", model=engine.model.name, duration_s=round(time.monotonic() - started_at, 3))
        try:
            yield
        finally:
            self._engine = None
            await to_thread.run_sync(engine.stop)

    async def models(self, _request: Request) -> Response:
        """`GET /v1/models`: the one model."""
        model = self.engine.model
        card = {
            "id": model.name,
            "object": "model",
            "created": _MODEL_CREATED,
            "owned_by": "threengram",
            "dimensions": model.dimensions,
            "window_pieces": model.window_pieces,
        }
        return _json({"object": "list", "data": [card]})

    async def embeddings(self, request: Request) -> Response:
        """`POST /v1/embeddings`; stops working on it when its sender goes away."""
        with self._intake.slot() as slot, _Observed() as observed:
            body = await slot.read(request)
            parsed = parse(body)
            observed.priority = parsed.priority
            answer: Answer | None = None
            failure: Refusal | None = None
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_when_gone, request.receive, group.cancel_scope)
                try:
                    answer = await self.engine.answer(parsed)
                except Refusal as refusal:
                    failure = refusal
                group.cancel_scope.cancel()
            if failure is not None:
                raise failure
            if answer is None:
                raise ClientDisconnect
            return _json(_body(parsed, answer))


class _Observed:
    """Times one embedding request; the outcome follows from the exception that ends it."""

    def __init__(self) -> None:
        self.priority: EmbeddingPriority | None = None
        self._started_at = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if error is None:
            outcome = "ok"
        elif isinstance(error, Refusal):
            outcome = error.outcome
        else:
            outcome = "cancelled" if isinstance(error, ClientDisconnect) else "error"
        elapsed_s = time.perf_counter() - self._started_at
        priority = metrics.closed(self.priority, metrics.EMBEDDING_PRIORITIES)
        metrics.EMBEDDER_REQUESTS.labels(priority, outcome).observe(elapsed_s)


async def _cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


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


def _json(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    body = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(body, status_code=status, headers=headers, media_type="application/json")


def _error(status: int, message: str, kind: str, code: str, headers: dict[str, str] | None = None) -> Response:
    return _json({"error": {"message": message, "type": kind, "code": code}}, status, headers)


async def _refused(_request: Request, error: Exception) -> Response:
    if not isinstance(error, Refusal):
        raise error
    headers = {"Retry-After": str(error.retry_after_s)} if isinstance(error, Overloaded) else None
    return _error(error.status, error.message, error.type, error.code, headers)


async def _gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED_REQUEST)


async def _http_error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    code = error_code(error.status_code)
    return _error(error.status_code, code, "invalid_request_error", code, dict(error.headers or {}))


def build(settings: Settings) -> tuple[ASGIApp, Health]:
    """The application and its health; the model loads in the application's lifespan."""
    embedder = Embedder(settings)
    app = Starlette(
        routes=[
            Route("/v1/embeddings", embedder.embeddings, methods=["POST"]),
            Route("/v1/models", embedder.models, methods=["GET"]),
        ],
        exception_handlers={Refusal: _refused, ClientDisconnect: _gone, HTTPException: _http_error},
        lifespan=embedder.lifespan,
    )
    return TraceMiddleware(app, starlette_route), Health({"model": embedder.check})
