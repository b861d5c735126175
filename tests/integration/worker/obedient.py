"""An embedding service that refuses, holds or counts as a test wants; one window for every text."""

import asyncio
import base64
import threading
from collections import Counter
from concurrent.futures import Future
from typing import Any, Self

import numpy as np
import orjson
import uvicorn
from starlette.types import Receive, Scope, Send

from tests.embedder import DIMENSIONS
from tests.servers import free_port

REFUSED = "refused by the service"
"""A text with these words is answered with 400."""

UNIT = base64.b64encode(np.eye(1, DIMENSIONS, dtype="<f4").tobytes()).decode()


class ObedientEmbedder:
    """Serves from a thread while the block runs. `hold` keeps answers back until `let_go`."""

    def __init__(self, port: int | None = None) -> None:
        self.port = port or free_port()
        self.asked: Counter[str] = Counter()
        self.traceparents: list[str] = []
        self.held = 0
        self._may_answer = threading.Event()
        self._may_answer.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def hold(self) -> None:
        self._may_answer.clear()

    def let_go(self) -> None:
        self._may_answer.set()

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
        self.let_go()
        self._server.should_exit = True
        self._thread.join()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        has_more = True
        while has_more:
            message = await receive()
            body += message.get("body", b"")
            has_more = message.get("more_body", False)
        request = orjson.loads(body)
        text = request["input"] if isinstance(request["input"], str) else request["input"][0]
        if request["priority"] == "backfill":
            self.asked[text] += 1
            self.traceparents += [value.decode() for name, value in scope["headers"] if name == b"traceparent"]
            self.held += 1
            await asyncio.to_thread(self._may_answer.wait)
            self.held -= 1
        status, answer = (400, {"data": []}) if REFUSED in text else (200, {"data": [_datum()]})
        await send(
            {"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]}
        )
        await send({"type": "http.response.body", "body": orjson.dumps(answer)})


def _datum() -> dict[str, Any]:
    return {"embedding": UNIT, "index": 0, "window": 0, "window_count": 1, "omitted_windows": 0}
