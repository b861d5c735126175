"""Reach the embedding service over HTTP: the OpenAI embeddings format with our window extension.

Every failure, late answers and unusable vectors included, is `EmbedderUnavailable`: a model that is down makes a search
lexical and a write pending, nothing more.
"""

import asyncio
import base64
import math
import struct
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import httpcore2
import orjson

from threengram.core.embeddings.embedder import (
    DocumentVectors,
    EmbedderUnavailable,
    EmbeddingFailed,
    QueryVector,
    Vector,
)
from threengram.core.embeddings.sockets import LoopBackend

MAX_CONNECTIONS = 32
KEEPALIVE_S = 30.0
PAUSE_AFTER_REFUSAL_S = 1.0
"""How long nobody knocks after a refused connection, so that a missing service costs a search nothing."""

_LAST_STEP_S = 0.05
"""By this much the whole exchange may outlast one step, so that a step that takes too long is told by its own error."""
_HEADERS = (("content-type", "application/json"),)
UNIT_TOLERANCE = 0.01
_FLOAT_BYTES = 4
_TEXT_IS_AT_FAULT = frozenset({400, 413, 422, 504})


class HttpEmbedder:
    """An `Embedder` behind a URL. One connection pool for the life of the process; close it with `close`."""

    def __init__(
        self,
        base_url: str,
        *,
        model_name: str,
        dimensions: int,
        is_metered: bool = False,
        headers: Callable[[], Mapping[str, str]] = lambda: MappingProxyType({}),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model_name = model_name
        self._dimensions = dimensions
        self._is_metered = is_metered
        self._headers = headers
        self._monotonic = monotonic
        self._closed_until = 0.0
        # The layer below `httpx2.AsyncClient`, at little more than half its CPU time: no redirects, cookies or proxies.
        self._connections = httpcore2.AsyncConnectionPool(
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_CONNECTIONS,
            keepalive_expiry=KEEPALIVE_S,
            network_backend=LoopBackend(),
        )
        self._url = httpcore2.URL(base_url.rstrip("/") + "/v1/embeddings")

    @property
    def model_name(self) -> str:
        """The model it asks for."""
        return self._model_name

    @property
    def dimensions(self) -> int:
        """The width of that model's vectors."""
        return self._dimensions

    @property
    def is_metered(self) -> bool:
        """Whether somebody is paid for what it does."""
        return self._is_metered

    def look_again(self) -> None:
        """Nothing to look at: it speaks for one model for good."""

    def speaking_for(self, model_name: str, dimensions: int) -> "HttpEmbedder":
        """Itself, for its own model."""
        if (model_name, dimensions) != (self._model_name, self._dimensions):
            raise EmbedderUnavailable("another model is active")
        return self

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.aclose()

    async def check(self) -> None:
        """Return when the service answers; raises `EmbedderUnavailable`."""
        await self.embed_query("ready", timeout_s=2.0)

    async def embed_query(self, query: str, *, timeout_s: float) -> QueryVector:
        """The vector of a query."""
        answer = await self._post({"input": query, "priority": "query"}, timeout_s)
        return QueryVector(self.model_name, self._vector(_first(answer)))

    async def embed_document(
        self, topic: str, content: str, *, timeout_s: float, first_window_only: bool, priority: str
    ) -> DocumentVectors:
        """The vectors of a memory; the topic stands in front of every window."""
        request = {
            "input": [content],
            "contexts": [topic],
            "windows": "first" if first_window_only else "all",
            "priority": priority,
        }
        answer = await self._post(request, timeout_s)
        first = _first(answer)
        try:
            window_count, omitted = int(first["window_count"]), int(first["omitted_windows"])
        except (KeyError, TypeError, ValueError) as error:
            raise EmbeddingFailed("the answer does not say how many windows there are") from error
        vectors = [self._vector(datum) for datum in answer["data"]]
        if not first_window_only and len(vectors) != window_count:
            raise EmbeddingFailed("windows are missing from the answer")
        return DocumentVectors(self.model_name, vectors, window_count, omitted)

    async def _post(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        if self._monotonic() < self._closed_until:
            raise EmbedderUnavailable("recently refused")
        body = {**request, "model": self.model_name, "encoding_format": "base64", "deadline_ms": int(timeout_s * 1000)}
        try:
            # The client's timeouts are for one step each: a byte that comes in time begins a new one.
            async with asyncio.timeout(timeout_s + _LAST_STEP_S):
                response = await self._connections.request(
                    "POST",
                    self._url,
                    headers=[*_HEADERS, *self._headers().items()],
                    content=orjson.dumps(body),
                    extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout_s)},
                )
        except httpcore2.ConnectError as error:
            self._closed_until = self._monotonic() + PAUSE_AFTER_REFUSAL_S
            raise EmbedderUnavailable("refused") from error
        except httpcore2.ReadTimeout as error:
            raise EmbeddingFailed("too late") from error
        except TimeoutError as error:
            raise EmbedderUnavailable("too slow") from error
        except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            raise EmbedderUnavailable(type(error).__name__) from error
        if response.status in _TEXT_IS_AT_FAULT:
            raise EmbeddingFailed(f"status {response.status}")
        if response.status != HTTPStatus.OK:
            raise EmbedderUnavailable(f"status {response.status}")
        try:
            answer = orjson.loads(response.content)
        except orjson.JSONDecodeError as error:
            raise EmbeddingFailed("not JSON") from error
        if not isinstance(answer, dict) or not isinstance(answer.get("data"), list) or not answer["data"]:
            raise EmbeddingFailed("no vectors in the answer")
        return answer

    def _vector(self, datum: dict[str, Any]) -> Vector:
        try:
            packed = base64.b64decode(datum["embedding"], validate=True)
        except (KeyError, TypeError, ValueError) as error:
            raise EmbeddingFailed("not a vector") from error
        if len(packed) != self.dimensions * _FLOAT_BYTES:
            raise EmbeddingFailed("wrong width")
        vector = list(struct.unpack(f"<{self.dimensions}f", packed))
        if not abs(math.hypot(*vector) ** 2 - 1.0) <= UNIT_TOLERANCE:  # NaN fails this comparison too
            raise EmbeddingFailed("not a unit vector")
        return vector


def _first(answer: dict[str, Any]) -> dict[str, Any]:
    first = answer["data"][0]
    if not isinstance(first, dict):
        raise EmbeddingFailed("not a vector")
    return first
