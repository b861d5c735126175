"""The operations that are measured: how a request is made and which answers count."""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

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

    requests: Iterator[bytes]
    wanted: bytes
    refused: tuple[bytes, ...] = (b'"isError":true', b'"error":{')
    status: int = 200


class Transport(Protocol):
    """A way to the verbs of the product for one user."""

    service: ClassVar[str]
    created_status: ClassVar[int]

    def call(self, verb: str, arguments: Mapping[str, object]) -> bytes:
        """A request for one verb."""
        ...


@dataclass(frozen=True)
class Mcp:
    """Tool calls."""

    service: ClassVar[str] = "gateway"
    created_status: ClassVar[int] = 200
    token: str
    era: Era = Era.MODERN

    def call(self, verb: str, arguments: Mapping[str, object]) -> bytes:
        """A `tools/call` request."""
        headers = {
            "authorization": f"Bearer {self.token}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self.era,
        }
        params: dict[str, object] = {"name": verb, "arguments": arguments}
        if self.era is Era.MODERN:
            headers |= {"mcp-method": "tools/call", "mcp-name": verb}
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": self.era,
                "io.modelcontextprotocol/clientInfo": {"name": "threengram-bench", "version": VERSION},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        return http("POST", "/mcp", headers, body)


@dataclass(frozen=True)
class Rest:
    """REST with an API key."""

    service: ClassVar[str] = "api"
    created_status: ClassVar[int] = 201
    _PATHS: ClassVar[Mapping[str, str]] = {
        "search": "/search", "remember": "/memories", "get_memories": "/memories/get", "briefing": "/briefing",
    }  # fmt: skip
    key: str

    def call(self, verb: str, arguments: Mapping[str, object]) -> bytes:
        """A POST to the verb's path."""
        headers = {"x-api-key": self.key, "content-type": "application/json", "accept": "application/json"}
        return http("POST", "/api/v1" + self._PATHS[verb], headers, orjson.dumps(arguments))


def search(transport: Transport, queries: Sequence[str], *, seed: int) -> Operation:
    """Ranked searches; a call counts when both legs took part."""
    chance = random.Random(seed)  # noqa: S311 - reproducible on purpose
    requests = _endless(lambda: transport.call("search", {"query": chance.choice(queries), "limit": HITS}))
    return Operation(requests, b'"vector":"used"')


def remember(transport: Transport, texts: Iterator[Text], *, wanted: bytes = EMBEDDED) -> Operation:
    """Writes of new memories; a call counts when the memory left with all of its vectors."""

    def request() -> bytes:
        text = next(texts)
        arguments = {"memoryType": text.memory_type, "topic": text.topic, "content": text.content, "scope": text.scope}
        return transport.call("remember", arguments)

    return Operation(_endless(request), wanted, status=transport.created_status)


def get_memories(transport: Transport, ids: Sequence[str], *, seed: int) -> Operation:
    """Reads of five memories by id."""
    chance = random.Random(seed)  # noqa: S311 - reproducible on purpose
    requests = _endless(lambda: transport.call("get_memories", {"ids": chance.sample(ids, min(HITS, len(ids)))}))
    return Operation(requests, b'"notFound":[]')


def briefing(transport: Transport) -> Operation:
    """The full briefing on everything."""
    request = transport.call("briefing", {"selector": {"kind": "all"}, "mode": "full"})
    return Operation(itertools.repeat(request), b'"generatedAt":')


def describe(transport: Transport) -> Operation:
    """The description of the environment."""
    return Operation(itertools.repeat(transport.call("describe_environment", {})), b'"capabilities"')


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
    return Operation(requests, b'"embedding":"', refused=(b'"error":{',))


def _endless(make: Callable[[], bytes]) -> Iterator[bytes]:
    while True:
        yield make()
