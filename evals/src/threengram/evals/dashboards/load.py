"""A little of everything that a stack does, so that every panel has something to show: good calls and bad ones."""

import itertools
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from threengram.cli.run_file import RunRecord

VERSION = "2025-06-18"
TIMEOUT_S = 30.0
PAUSE_S = 0.3
_SUBJECTS = "harbour ledger orchard tunnel archive kiln meadow turbine".split()  # noqa: SIM905
_LONG = " and then the crew wrote down what they had seen near the old quay." * 25


class Caller:
    """One client of a running stack; `turn` makes one round of calls."""

    def __init__(self, record: RunRecord, cimd_url: str, *, seed: int = 1) -> None:
        self._record = record
        self._cimd_url = cimd_url
        self._random = random.Random(seed)  # noqa: S311 (a load, not a secret)
        self._seed = seed
        self._turns, self._ids = itertools.count(), itertools.count()
        self._client = httpx2.Client(timeout=TIMEOUT_S, trust_env=False)

    def run(self, until: Callable[[], bool]) -> int:
        """Turns until told to stop; how many there were."""
        turns = 0
        while not until():
            self.turn()
            turns += 1
            time.sleep(PAUSE_S)
        return turns

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def turn(self) -> None:
        """Writes, searches, reads, mistakes, strangers, over every door."""
        subject, number = self._random.choice(_SUBJECTS), next(self._turns)
        self._name = f"{self._seed}-{number}"
        written = self._tool(
            "remember",
            {
                "memoryType": "fact",
                "topic": f"the {subject}",
                "content": f"{subject} {self._name}" + _LONG * (number % 2),
            },
        )
        memory_id = written["memory"]["id"]
        found = self._tool("search", {"query": f"what about the {subject}", "limit": 2})
        if found["hasMore"]:
            self._tool("search", {"query": f"what about the {subject}", "limit": 2, "cursor": found["nextCursor"]})
        self._tool("search", {"order": "chronological", "memoryType": "fact", "limit": 3})
        self._tool("get_memories", {"ids": [memory_id]})
        if number % 4 == 0:
            self._tool("briefing", {"selector": {"kind": "all"}})
            self._tool("describe_environment", {})
            new = {"memoryType": "fact", "topic": f"the {subject}", "content": f"{subject} {self._name} again"}
            self._tool("revise", {"predecessorId": memory_id, "edgeIntent": "supersedes", **new})
            self._rpc("tools/list", {})
            self._rpc("tools/call", {"name": "remember", "arguments": {"content": ""}})
            self._rpc("initialize", {}, token="not-a-token")  # noqa: S106
            self._client.get(f"{self._record.api_url}/api/v1/memories/{memory_id}", headers=self._key())
            self._client.get(f"{self._record.api_url}/api/v1/nowhere", headers=self._key())
            self._client.post(f"{self._cimd_url}/v1/resolve", json={"clientId": "https://127.0.0.1/client.json"})

    def _key(self) -> dict[str, str]:
        return {"X-API-Key": self._record.api_key}

    def _tool(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._rpc("tools/call", {"name": name, "arguments": arguments}).json()
        if answer["result"]["isError"]:
            raise RuntimeError(f"{name}: {answer['result']['content']}")
        content: dict[str, Any] = answer["result"]["structuredContent"]
        return content

    def _rpc(self, method: str, params: Mapping[str, Any], *, token: str | None = None) -> httpx2.Response:
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Authorization": f"Bearer {token or self._record.token}",
        }
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        return self._client.post(self._record.mcp_url, json=body, headers=headers)
