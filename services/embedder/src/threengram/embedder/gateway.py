"""One call to an OpenAI-compatible embeddings gateway, and whether what came back may be used."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx2
import numpy as np
import orjson
from numpy.typing import NDArray

from threengram.embedder.declarations import GatewayDeclaration
from threengram.embedder.model import ModelFailed, Vectors, unit
from threengram.embedder.settings import Settings
from threengram.runtime import http
from threengram.schema.retry_after import retry_after_s

CONNECT_TIMEOUT_S = 5.0
_TEXT_IS_AT_FAULT = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, 422})
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429, 500, 502, 503, 504})
_MOST_BYTES_A_NUMBER = 32
_ENVELOPE_BYTES = 65_536


class TextRefused(Exception):
    """The gateway refuses these texts; `status` says how."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


class CallFailed(Exception):
    """No usable answer. `retry_after_s` is what the gateway asks for; `may_pass` whether another try makes sense."""

    def __init__(self, reason: str, *, may_pass: bool, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.may_pass = may_pass
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Embedded:
    """Unit vectors in the order of the texts, and the tokens that the gateway counted; None where it did not."""

    vectors: Vectors
    tokens: int | None


class Gateway:
    """The connections to one gateway for one model."""

    def __init__(self, declaration: GatewayDeclaration, settings: Settings) -> None:
        url = declaration.url or settings.openai_url
        key = declaration.api_key or settings.openai_api_key
        assert url is not None
        self._model = declaration.model or declaration.name
        self._dimensions = declaration.dimensions
        self._sends_dimensions = declaration.sends_dimensions
        self._client = http.client(
            url.rstrip("/") + "/",
            timeout_s=settings.openai_timeout_s,
            max_connections=2 * settings.openai_connections,
            connect_timeout_s=CONNECT_TIMEOUT_S,
            peer="llm",
            headers={} if key is None else {"authorization": f"Bearer {key.get_secret_value()}"},
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """The vectors of the texts, by one request. Raises `TextRefused` or `CallFailed`; bound it by a deadline."""
        request: dict[str, Any] = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        if self._sends_dimensions:
            request["dimensions"] = self._dimensions
        most_bytes = _ENVELOPE_BYTES + len(texts) * self._dimensions * _MOST_BYTES_A_NUMBER
        try:
            async with self._client.stream(
                "POST", "embeddings", content=orjson.dumps(request), headers={"content-type": "application/json"}
            ) as response:
                _raise_for_status(response)
                body = await _read(response, most_bytes)
        except httpx2.TransportError as error:
            raise CallFailed(type(error).__name__, may_pass=True) from error
        return _embedded(body, len(texts), self._dimensions)


def _raise_for_status(response: httpx2.Response) -> None:
    status = response.status_code
    if status == HTTPStatus.OK:
        return
    if status in _TEXT_IS_AT_FAULT:
        raise TextRefused(status)
    wait_s = retry_after_s(response.headers.get("retry-after"))
    raise CallFailed(f"status {status}", may_pass=status in _WORTH_ANOTHER_TRY, retry_after_s=wait_s)


async def _read(response: httpx2.Response, most_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > most_bytes:
            raise CallFailed("too long an answer", may_pass=False)
    return bytes(body)


def _embedded(body: bytes, count: int, dimensions: int) -> Embedded:
    """What an answer holds, if all of it is as it must be: nothing doubtful is passed on."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise CallFailed("not JSON", may_pass=True) from error
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or len(data) != count:
        raise CallFailed("not as many vectors as texts", may_pass=True)
    rows = [_row(datum, position, dimensions) for position, datum in enumerate(data)]
    try:
        # A number too large for its square becomes infinite, and that is refused.
        with np.errstate(over="ignore"):
            vectors = unit(np.stack(rows))
    except ModelFailed as error:
        raise CallFailed("a vector has no direction", may_pass=True) from error
    return Embedded(vectors, _tokens(answer))


def _row(datum: object, position: int, dimensions: int) -> NDArray[np.floating]:
    if not isinstance(datum, dict) or type(datum.get("index")) is not int or datum["index"] != position:
        raise CallFailed("the vectors are not in the order of the texts", may_pass=True)
    embedding = datum.get("embedding")
    try:
        if isinstance(embedding, str):
            row = np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
        else:
            row = np.asarray(embedding, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, binascii.Error) as error:
        raise CallFailed("not a vector", may_pass=True) from error
    if row.shape != (dimensions,):
        raise CallFailed("a vector of another width", may_pass=True)
    return row


def _tokens(answer: dict[str, Any]) -> int | None:
    usage = answer.get("usage")
    tokens = usage.get("total_tokens", usage.get("prompt_tokens")) if isinstance(usage, dict) else None
    return tokens if type(tokens) is int and tokens >= 0 else None
