"""Stand-ins for other people's services: an ASGI application on a loopback port, from a thread of its own."""

import asyncio
import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future
from typing import Any, Self

import anyio
import orjson
import uvicorn
from starlette.types import Receive, Scope, Send

from tests.servers import free_port

START_S = 60


class StandIn(ABC):
    """Serves `app` while the block runs."""

    def __init__(self, port: int | None = None) -> None:
        self.port = port or free_port()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @abstractmethod
    async def app(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    def __enter__(self) -> Self:
        config = uvicorn.Config(
            self.app, interface="asgi3", port=self.port, lifespan="off", log_config=None, timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        started: Future[None] = Future()

        async def serve() -> None:
            startup = self._server.startup

            async def announced(sockets: Any = None) -> None:
                await startup(sockets)
                started.set_result(None)

            self._server.startup = announced  # type: ignore[method-assign]
            await self._server.serve()

        self._thread = threading.Thread(target=asyncio.run, args=(serve(),))
        self._thread.start()
        started.result(START_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers of a request by lower-case name."""
    return {name.decode(): value.decode() for name, value in scope["headers"]}


async def body_of(receive: Receive) -> bytes:
    """The whole body of a request."""
    body = b""
    has_more = True
    while has_more:
        message = await receive()
        body += message.get("body", b"")
        has_more = message.get("more_body", False)
    return body


async def sent(receive: Receive) -> dict[str, Any]:
    """The JSON object in the body of a request."""
    request: dict[str, Any] = orjson.loads(await body_of(receive))
    return request


async def answer(send: Send, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
    """Send JSON, unless the headers name another type."""
    named = {"content-type": "application/json", **(headers or {})}
    encoded = [(name.encode(), value.encode()) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


async def drip(receive: Receive, send: Send, status: int, body: bytes, *, every_s: float) -> None:
    """Send a body byte by byte, until it is whole or nobody reads it."""
    await send({"type": "http.response.start", "status": status, "headers": []})
    for place in range(len(body)):
        await send({"type": "http.response.body", "body": body[place : place + 1], "more_body": True})
        with anyio.move_on_after(every_s):
            if (await receive())["type"] == "http.disconnect":
                return
    await send({"type": "http.response.body", "body": b""})
