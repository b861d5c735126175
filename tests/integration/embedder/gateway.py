"""A gateway with an embeddings API that answers as a test wants, over real sockets."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Self

import orjson
import uvicorn
from starlette.types import Receive, Scope, Send

from tests.servers import free_port

DIMENSIONS = 4
USAGE = 11


@dataclass(frozen=True)
class Reply:
    """What is sent back; `hold_s` keeps it until then, or until the caller is gone."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    hold_s: float = 0.0


Script = Callable[[dict[str, Any]], Reply]


def vectors(request: dict[str, Any]) -> Reply:
    """A usable answer: the length of each text in the first place, one in the last."""
    data = [
        {"object": "embedding", "index": place, "embedding": [len(text), 0.0, 0.0, 1.0]}
        for place, text in enumerate(request["input"])
    ]
    return Reply(body=orjson.dumps({"object": "list", "data": data, "usage": {"total_tokens": USAGE}}))


def answering(**changed: object) -> Script:
    """A usable answer with its first datum changed."""

    def reply(request: dict[str, Any]) -> Reply:
        answer = orjson.loads(vectors(request).body)
        answer["data"][0] |= changed
        return Reply(body=orjson.dumps(answer))

    return reply


class Gateway:
    """Serves from a thread while the block runs; `scripts` are used up one a call, the last one stays."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts) or [vectors]
        self.requests: list[dict[str, Any]] = []
        self.asked_at: list[float] = []
        self.keys: list[str] = []
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        config = uvicorn.Config(
            self._app, interface="asgi3", port=self.port, lifespan="off", log_config=None, timeout_graceful_shutdown=1
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
        started.result(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["path"] == "/v1/embeddings"
        body = b""
        has_more = True
        while has_more:
            message = await receive()
            body += message.get("body", b"")
            has_more = message.get("more_body", False)
        request = orjson.loads(body)
        self.requests.append(request)
        self.asked_at.append(time.monotonic())
        self.keys += [value.decode() for name, value in scope["headers"] if name == b"authorization"]
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        reply = script(request)
        if reply.hold_s:
            try:
                async with asyncio.timeout(reply.hold_s):
                    while (await receive())["type"] != "http.disconnect":
                        pass
            except TimeoutError:
                pass
        headers = [(b"content-type", b"application/json")]
        headers += [(name.encode(), value.encode()) for name, value in reply.headers.items()]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})
