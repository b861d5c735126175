"""A client of the running product for tests under load: plain JSON-RPC over HTTP, many calls at once."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2

from tests.stack import RunningStack
from threengram.cli import control
from threengram.cli.layout import Layout
from threengram.schema.bounds import MAX_SEARCH_LIMIT

TIMEOUT_S = 60.0
PATIENCE_S = 120.0
PAUSE_S = 0.05


class Refused(Exception):
    """The tool answered with an error; `code` says which and `subject_id` what it is about."""

    def __init__(self, code: str, subject_id: str | None) -> None:
        super().__init__(code)
        self.code = code
        self.subject_id = subject_id


class Agent:
    """One caller. `call` fails when the service fails."""

    def __init__(self, http: httpx2.AsyncClient, mcp_url: str, token: str) -> None:
        self._http = http
        self._url = mcp_url
        self._headers = {"Authorization": f"Bearer {token}", "MCP-Protocol-Version": "2025-11-25"}

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content; raises `Refused` for an error result and `httpx2.HTTPError` for anything else."""
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        answer = await self._http.post(self._url, json=body, headers=self._headers)
        result: dict[str, Any] = answer.raise_for_status().json()["result"]
        if result["isError"]:
            raise Refused(result["_meta"]["code"], result["_meta"].get("id"))
        content: dict[str, Any] = result["structuredContent"]
        return content

    async def everything(self) -> list[dict[str, Any]]:
        """Every live memory, page by page."""
        found: list[dict[str, Any]] = []
        arguments: dict[str, Any] = {"order": "chronological", "status": "active", "limit": MAX_SEARCH_LIMIT}
        while True:
            page = await self.call("search", **arguments)
            found += page["hits"]
            if not page["hasMore"]:
                return found
            arguments["cursor"] = page["nextCursor"]

    async def pending(self) -> int:
        """How many memories wait for a vector."""
        environment = await self.call("describe_environment")
        return int(environment["embeddings"]["pending"])


@contextlib.asynccontextmanager
async def agents(stack: RunningStack, count: int, *, keeps_alive: bool = True) -> AsyncIterator[list[Agent]]:
    """Agents of as many tenants, on one pool of connections."""
    record = stack.record
    limits = httpx2.Limits(max_connections=64, max_keepalive_connections=64 if keeps_alive else 0)
    tokens = [await asyncio.to_thread(token_of_a_new_tenant, stack, number) for number in range(count)]
    async with httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=False, limits=limits) as http:
        yield [Agent(http, record["mcpUrl"], token) for token in tokens]


def token_of_a_new_tenant(stack: RunningStack, number: int) -> str:
    """Asks the supervisor, as `threengram token --create` does."""
    request = {
        "command": "token",
        "email": f"agent-{number}-{time.monotonic_ns()}@example.test",
        "scopes": ["memory:read", "memory:write"],
        "lifetimeS": 3600,
        "create": True,
    }
    token: str = control.ask(Layout(stack.data_dir).control_socket, request, timeout_s=TIMEOUT_S)["token"]
    return token


async def eventually(holds: Callable[[], Any], *, within_s: float = PATIENCE_S) -> float:
    """Wait until the coroutine function answers true, taking refusals for no; the seconds that took."""
    started = time.monotonic()
    while True:
        with contextlib.suppress(httpx2.HTTPError, Refused):
            if await holds():
                return time.monotonic() - started
        assert time.monotonic() - started < within_s, "the condition did not come to hold"
        await asyncio.sleep(PAUSE_S)
