"""The operations that are measured: how a request is made and which answers count."""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import orjson

from threengram.evals.bench.client import http
from threengram.evals.bench.corpus import Text
from threengram.gateway.version import VERSION

HITS = 5
EMBEDDED = b'"embedded":"done"'


class Era(StrEnum):
    """A protocol version of each kind: with a handshake's header only, and with everything in the body."""

    LEGACY = "2025-06-18"
    MODERN = "2026-07-28"


@dataclass(frozen=True)
class Operation:
    """`requests` never ends. An answer of `status` with `wanted` in it counts; one without it is incomplete."""

    name: str
    requests: Iterator[bytes]
    wanted: bytes
    refused: tuple[bytes, ...] = (b'"isError":true', b'"error":{')
    status: int = 200


@dataclass(frozen=True)
class Mcp:
    """Tool calls of one user."""

    token: str
    era: Era = Era.MODERN
    path: str = "/mcp"

    def call(self, tool: str, arguments: dict[str, object]) -> bytes:
        """A `tools/call` request."""
        headers = {
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self.era,
        }
        params: dict[str, object] = {"name": tool, "arguments": arguments}
        if self.era is Era.MODERN:
            headers |= {"mcp-method": "tools/call", "mcp-name": tool}
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": self.era,
                "io.modelcontextprotocol/clientInfo": {"name": "threengram-bench", "version": VERSION},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        return http("POST", self.path, headers, body)

    def search(self, queries: Sequence[str], *, seed: int) -> Operation:
        """Ranked searches; a call counts when both legs took part."""
        chance = random.Random(seed)  # noqa: S311 - reproducible on purpose

        def request() -> bytes:
            return self.call("search", {"query": chance.choice(queries), "limit": HITS})

        return Operation("search", _endless(request), b'"vector":"used"')

    def remember(self, texts: Iterator[Text], *, wanted: bytes = EMBEDDED) -> Operation:
        """Writes of new memories; a call counts when the memory left with all of its vectors."""

        def request() -> bytes:
            text = next(texts)
            return self.call(
                "remember",
                {"memoryType": text.memory_type, "topic": text.topic, "content": text.content, "scope": text.scope},
            )

        return Operation("remember", _endless(request), wanted)

    def get_memories(self, ids: Sequence[str], *, seed: int) -> Operation:
        """Reads of five memories by id."""
        chance = random.Random(seed)  # noqa: S311 - reproducible on purpose

        def request() -> bytes:
            return self.call("get_memories", {"ids": chance.sample(ids, min(HITS, len(ids)))})

        return Operation("get_memories", _endless(request), b'"notFound":[]')

    def describe(self) -> Operation:
        """The description of the environment."""
        return Operation("describe_environment", itertools.repeat(self.call("describe_environment", {})), b'"')


def embeddings(texts: Sequence[str], *, model: str, priority: str) -> Operation:
    """One text a request, straight to the embedder."""
    headers = {"content-type": "application/json"}
    bodies = [
        orjson.dumps({
            "model": model,
            "input": [text],
            "windows": "none" if priority == "query" else "all",
            "priority": priority,
            "encoding_format": "base64",
        })
        for text in texts
    ]  # fmt: skip
    requests = itertools.cycle([http("POST", "/v1/embeddings", headers, body) for body in bodies])
    return Operation("embed", requests, b'"embedding":"', refused=(b'"error":{',))


def _endless(make: Callable[[], bytes]) -> Iterator[bytes]:
    while True:
        yield make()
