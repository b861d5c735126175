"""A chat model behind any gateway that speaks OpenAI's chat completions, asked for JSON of a strict schema.

A call has a deadline for everything together, a bound on what is read, and two more tries at what is worth trying
again. What comes back is checked here for being an object; what it says is checked by whoever asked.
"""

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import httpcore2
import orjson

from threengram.core.embeddings.sockets import LoopBackend

MAX_ATTEMPTS = 3
FIRST_BACKOFF_S = 0.5
MAX_ANSWER_BYTES = 65_536
MAX_TOKENS = 10_000_000
"""Of one call; a count beyond it is none, and would not be held by a table."""

MAX_CONNECTIONS = 4
_WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_jitter = random.SystemRandom()


class GatewayUnavailable(Exception):
    """No answer: down, overloaded, refused, or later than the deadline."""


class MalformedAnswer(Exception):
    """An answer that is not what was asked for. Its text is not kept anywhere."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A JSON object, and what it cost: tokens as the gateway counts them, zero where it doesn't."""

    answer: dict[str, Any]
    tokens_in: int
    tokens_out: int


class ChatGateway:
    """One connection pool for the life of the process; close it with `close`."""

    def __init__(
        self,
        base_url: str,
        *,
        model_name: str,
        api_key: str | None = None,
        timeout_s: float = 20.0,
        first_backoff_s: float = FIRST_BACKOFF_S,
        headers: Callable[[], Mapping[str, str]] = lambda: MappingProxyType({}),
    ) -> None:
        self.model_name = model_name
        self._timeout_s = timeout_s
        self._first_backoff_s = first_backoff_s
        self._headers = headers
        self._secret = [("authorization", f"Bearer {api_key}")] if api_key else []
        self._url = httpcore2.URL(base_url.rstrip("/") + "/v1/chat/completions")
        self._connections = httpcore2.AsyncConnectionPool(
            max_connections=MAX_CONNECTIONS, network_backend=LoopBackend()
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.aclose()

    async def complete(self, instruction: str, text: str, *, name: str, schema: Mapping[str, Any]) -> Completion:
        """The object that the model gives; raises `GatewayUnavailable` or `MalformedAnswer` within the deadline."""
        body = orjson.dumps(
            {
                "model": self.model_name,
                "temperature": 0,
                "messages": [{"role": "system", "content": instruction}, {"role": "user", "content": text}],
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": name, "strict": True, "schema": dict(schema)},
                },
            }
        )
        give_up_at = time.monotonic() + self._timeout_s
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._tried(body, give_up_at)
        except TimeoutError as error:
            raise GatewayUnavailable("too late") from error

    async def _tried(self, body: bytes, give_up_at: float) -> Completion:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return _completion(await self._post(body))
            except _TryAgain as error:
                wait_s = self._first_backoff_s * 2 ** (attempt - 1) * (1 + _jitter.random())
                if attempt == MAX_ATTEMPTS or time.monotonic() + wait_s >= give_up_at:
                    raise GatewayUnavailable(str(error)) from error
                await asyncio.sleep(wait_s)
        raise GatewayUnavailable("no more tries")

    async def _post(self, body: bytes) -> bytes:
        try:
            async with self._connections.stream(
                "POST",
                self._url,
                headers=[("content-type", "application/json"), *self._secret, *self._headers().items()],
                content=body,
                extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), self._timeout_s)},
            ) as response:
                if response.status in _WORTH_ANOTHER_TRY:
                    raise _TryAgain(f"status {response.status}")
                if response.status != HTTPStatus.OK:
                    raise GatewayUnavailable(f"status {response.status}")
                received = bytearray()
                async for part in response.aiter_stream():
                    received += part
                    if len(received) > MAX_ANSWER_BYTES:
                        raise MalformedAnswer("too long")
                return bytes(received)
        except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            raise _TryAgain(type(error).__name__) from error


class _TryAgain(Exception):
    """This attempt failed in a way that another one may not."""


def _completion(received: bytes) -> Completion:
    try:
        outer = orjson.loads(received)
        message = outer["choices"][0]["message"]["content"]
        answer = orjson.loads(message)
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError) as error:
        raise MalformedAnswer("not a completion with JSON in it") from error
    if not isinstance(answer, dict):
        raise MalformedAnswer("not an object")
    usage = outer.get("usage") if isinstance(outer.get("usage"), dict) else {}
    return Completion(answer, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and 0 <= value <= MAX_TOKENS else 0
