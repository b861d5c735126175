"""The client that waits for its answers."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Self

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
from threengram.sdk.errors import ThreengramError
from threengram.sdk.method import Blocking
from threengram.sdk.records import Lines
from threengram.sdk.request import NDJSON, Request
from threengram.sdk.retries import Retries


class Threengram(Connected, Blocking):
    """The memory behind one credential. Use it as a context manager, or `close` it; any number of threads may share it.

    `timeout_s` is for a whole call with its retries, in seconds. `transport` replaces the network, for tests, or for
    certificates of your own: `httpx2.HTTPTransport(verify=context)`.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        token: Token | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: Retries | None = None,
        transport: httpx2.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._connection = Connection(base_url, api_key, token, timeout_s, retries or Retries(), clock)
        self._sleep = sleep
        self._http = httpx2.Client(
            transport=transport,
            trust_env=self._connection.trusts_environment,
            limits=LIMITS,
        )

    def send(self, request: Request[Out]) -> Out:
        """The answer; raises `ThreengramError`. The methods named after operations call this."""
        attempts = Attempts(self._connection, is_read=request.is_read)
        while True:
            try:
                return self._attempt(request, attempts.timeout_s)
            except ThreengramError as error:
                wait_s = attempts.wait_s(error)
            self._sleep(wait_s)

    def _attempt(self, request: Request[Out], timeout_s: float) -> Out:
        url, headers = self._connection.url(request.path), self._connection.headers
        try:
            response = self._http.request(
                request.method, url, headers=headers, timeout=bounds_of(timeout_s), **request.content
            )
        except httpx2.RequestError as error:
            raise no_answer(error) from error
        if not response.is_success:
            raise failure_of(response)
        return answer_of(request.gives, response)

    def stream(self, request: Request[Any]) -> Iterator[bytes]:
        """The lines of the answer as they come, once; the timeout is for each piece. Raises `ThreengramError`."""
        url, headers, lines = self._connection.url(request.path), self._connection.headers, Lines()
        bounds = bounds_of(self._connection.timeout_s)
        try:
            with self._http.stream(request.method, url, headers=headers, timeout=bounds, **request.content) as response:
                if not response.is_success:
                    response.read()
                    raise failure_of(response)
                for piece in response.iter_bytes():
                    yield from lines.cut(piece)
        except httpx2.RequestError as error:
            raise no_answer(error) from error

    def upload(self, request: Request[Out], pieces: Iterator[bytes]) -> Out:
        """The answer to a file, sent once; the timeout is for each piece. Raises `ThreengramError`."""
        url, headers = self._connection.url(request.path), {**self._connection.headers, "content-type": NDJSON}
        bounds = bounds_of(self._connection.timeout_s)
        try:
            response = self._http.request(
                request.method, url, headers=headers, timeout=bounds, params=request.arguments, content=pieces
            )
        except httpx2.RequestError as error:
            raise no_answer(error) from error
        if not response.is_success:
            raise failure_of(response)
        return answer_of(request.gives, response)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
