"""A gateway with an embeddings API that answers as a test wants, over real sockets."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.types import Receive, Scope, Send

from tests.stand_ins import StandIn, answer, drip, sent

DIMENSIONS = 4
USAGE = 11


@dataclass(frozen=True)
class Reply:
    """What is sent back; `hold_s` keeps it until then, or until the caller is gone.

    `drips_every_s` sends its body byte by byte.
    """

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    hold_s: float = 0.0
    drips_every_s: float = 0.0


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
        usable = orjson.loads(vectors(request).body)
        usable["data"][0] |= changed
        return Reply(body=orjson.dumps(usable))

    return reply


class Gateway(StandIn):
    """Serves while the block runs; `scripts` are used up one a call, the last one stays."""

    def __init__(self, *scripts: Script) -> None:
        super().__init__()
        self.scripts = list(scripts) or [vectors]
        self.requests: list[dict[str, Any]] = []
        self.asked_at: list[float] = []
        self.keys: list[str] = []

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["path"] == "/v1/embeddings"
        request = await sent(receive)
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
        if reply.drips_every_s:
            await drip(receive, send, reply.status, reply.body, every_s=reply.drips_every_s)
        else:
            await answer(send, reply.status, reply.body, reply.headers)
