"""An embedding service that refuses, holds or counts as a test wants; one window for every text."""

import asyncio
import base64
import threading
from collections import Counter
from typing import Any

import numpy as np
import orjson
from starlette.types import Receive, Scope, Send

from tests.embedder import DIMENSIONS
from tests.stand_ins import StandIn, answer, sent

REFUSED = "refused by the service"
"""A text with these words is answered with 400."""

UNIT = base64.b64encode(np.eye(1, DIMENSIONS, dtype="<f4").tobytes()).decode()


class ScriptedEmbedder(StandIn):
    """Serves while the block runs. `hold` keeps answers back until `let_go`."""

    def __init__(self, port: int | None = None) -> None:
        super().__init__(port)
        self.asked: Counter[str] = Counter()
        self.traceparents: list[str] = []
        self.held = 0
        self._may_answer = threading.Event()
        self._may_answer.set()

    def hold(self) -> None:
        self._may_answer.clear()

    def let_go(self) -> None:
        self._may_answer.set()

    def __exit__(self, *_: object) -> None:
        self.let_go()
        super().__exit__()

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = await sent(receive)
        text = request["input"] if isinstance(request["input"], str) else request["input"][0]
        if request["priority"] == "backfill":
            self.asked[text] += 1
            self.traceparents += [value.decode() for name, value in scope["headers"] if name == b"traceparent"]
            self.held += 1
            await asyncio.to_thread(self._may_answer.wait)
            self.held -= 1
        status, body = (400, {"data": []}) if REFUSED in text else (200, {"data": [_datum()]})
        await answer(send, status, orjson.dumps(body))


def _datum() -> dict[str, Any]:
    return {"embedding": UNIT, "index": 0, "window": 0, "window_count": 1, "omitted_windows": 0}
