"""The client whose answers are awaited."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Self

import anyio
import httpx2

from threengram.schema.reading import Out
from threengram.sdk.answers import answer_of, failure_of
from threengram.sdk.connection import (
    DEFAULT_TIMEOUT_S,
    LIMITS,
    Attempts,
    Connected,
    Connection,
    Token,
    bounds_of,
    no_answer,
)
from threengram.sdk.errors import ThreengramError, TimedOut
from threengram.sdk.method import Awaiting
from threengram.sdk.records import Lines
from threengram.sdk.request import NDJSON, Request
from threengram.sdk.retries import Retries
from threengram.sdk.uploads import awaited


class AsyncThreengram(Connected, Awaiting):
    """The memory behind one credential. Use it as an async context manager, or `aclose` it; tasks may share it.

    `timeout_s` is for a whole call with its retries, in seconds. `transport` replaces the network, for tests, or for
    certificates of your own: `httpx2.AsyncHTTPTransport(verify=context)`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        token: Token | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: Retries | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
    ) -> None:
        self._connection = Connection(base_url, api_key, token, timeout_s, retries or Retries(), clock)
        self._sleep = sleep
        self._http = httpx2.AsyncClient(
            transport=transport,
            trust_env=self._connection.trusts_environment,
            limits=LIMITS,
        )

    async def send(self, request: Request[Out]) -> Out:
        """The answer; raises `ThreengramError`. The methods named after operations call this."""
        attempts = Attempts(self._connection, is_read=request.is_read)
        while True:
            try:
                return await self._attempt(request, attempts.timeout_s)
            except ThreengramError as error:
                wait_s = attempts.wait_s(error)
            await self._sleep(wait_s)

    async def _attempt(self, request: Request[Out], timeout_s: float) -> Out:
        url, headers = self._connection.url(request.path), self._connection.headers
        try:
            with anyio.fail_after(timeout_s):
                response = await self._http.request(
                    request.method, url, headers=headers, timeout=bounds_of(timeout_s), **request.content
                )
        except httpx2.RequestError as error:
            raise no_answer(error) from error
        except TimeoutError as error:
            raise TimedOut("no answer from the API in time") from error
        if not response.is_success:
            raise failure_of(response)
        return answer_of(request.gives, response)

    async def stream(self, request: Request[Any]) -> AsyncIterator[bytes]:
        """The lines of the answer as they come, once; the timeout is for each piece. Raises `ThreengramError`."""
        url, headers, lines = self._connection.url(request.path), self._connection.headers, Lines()
        bounds, content = bounds_of(self._connection.timeout_s), request.content
        try:
            async with self._http.stream(request.method, url, headers=headers, timeout=bounds, **content) as response:
                if not response.is_success:
                    await response.aread()
                    raise failure_of(response)
                async for piece in response.aiter_bytes():
                    for line in lines.cut(piece):
                        yield line
        except httpx2.RequestError as error:
            raise no_answer(error) from error

    async def upload(self, request: Request[Out], pieces: Iterator[bytes]) -> Out:
        """The answer to a file, sent once; the timeout is for each piece. Raises `ThreengramError`."""
        url, headers = self._connection.url(request.path), {**self._connection.headers, "content-type": NDJSON}
        bounds, content = bounds_of(self._connection.timeout_s), awaited(pieces)
        try:
            response = await self._http.request(
                request.method, url, headers=headers, timeout=bounds, params=request.arguments, content=content
            )
        except httpx2.RequestError as error:
            raise no_answer(error) from error
        if not response.is_success:
            raise failure_of(response)
        return answer_of(request.gives, response)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
