"""The official Python client checks every answer against the catalogue it has cached, and must like tomorrow's too."""

import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.contract.mcp.stack import PUBLIC_URL, Wire
from tests.contract.mcp.test_official_client import BOTH_MODES
from tests.contract.mcp.test_stale_catalogues import evolved
from tests.people import Person
from threengram.gateway.tools import TOOLS

Change = Callable[[dict[str, Any]], None]
SELECTOR = {"selector": {"kind": "all"}}
FACT = {"subject": "importer", "predicate": "rows", "value": "12"}


class Changing(httpx2.AsyncBaseTransport):
    """Passes requests to a stack and changes the results on their way back."""

    def __init__(self, http: httpx2.AsyncClient, change: Change) -> None:
        self._http = http
        self._change = change

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        content = await request.aread()
        answer = await self._http.request(request.method, request.url, content=content, headers=request.headers)
        if not answer.headers.get("content-type", "").startswith("application/json"):
            return httpx2.Response(answer.status_code, content=answer.content)
        body = answer.json()
        self._change(body.get("result", {}))
        return httpx2.Response(answer.status_code, json=body)


def _as_it_is(_result: dict[str, Any]) -> None:
    """Today's answers."""


def _tomorrow(result: dict[str, Any]) -> None:
    """One more field everywhere, new words for closed values."""
    if "structuredContent" in result:
        result["structuredContent"] = evolved(result["structuredContent"])
        result["content"][0]["text"] = json.dumps(result["structuredContent"])


def _closed_catalogue(result: dict[str, Any]) -> None:
    """Tomorrow's answers for a client whose catalogue does not expect them."""
    for tool in result.get("tools", []):
        tool["outputSchema"]["additionalProperties"] = False
    _tomorrow(result)


@contextlib.asynccontextmanager
async def connected(
    real: Wire, person: Person, mode: Literal["auto", "legacy"], change: Change
) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {person.token}"}
    async with (
        httpx2.AsyncClient(transport=Changing(real.http, change), headers=headers) as http,
        Client(streamable_http_client(f"{PUBLIC_URL}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def _structured(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error is False, (tool, result.content)
    structured = result.structured_content
    assert isinstance(structured, dict)
    return structured


async def _call_every_tool(client: Client) -> set[str]:
    """One call of each tool; answers have rows, so that objects at every depth are validated."""
    note = {"memoryType": "note", "topic": "Importer", "content": "A queue of rows.", "facts": [FACT], "tags": ["a"]}
    due = {"memoryType": "commitment", "topic": "Ship", "content": "Ship it.", "dueAt": "2026-03-01T09:00:00Z"}
    written = await _structured(client, "remember", note)
    promised = await _structured(client, "remember", due)
    memory_id, promise_id = written["memory"]["id"], promised["memory"]["id"]
    revision = {**note, "content": "Two queues.", "facts": [], "predecessorId": memory_id}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": "queue"}),
        ("get_facts", {"subject": "importer"}),
        ("briefing", {**SELECTOR, "mode": "full"}),
        ("handoff", SELECTOR),
        ("revise", revision),
        ("get_memories", {"ids": [memory_id, promise_id]}),
        ("resolve", {"memoryId": promise_id, "status": "resolved"}),
        ("configure_scope", {"action": "create", "name": "garden"}),
        ("configure_scope", {"action": "list"}),
        ("describe_environment", {}),
        ("review_proposals", {"action": "list"}),
    ]
    for tool, arguments in calls:
        await _structured(client, tool, arguments)
    return {"remember"} | {tool for tool, _ in calls}


@BOTH_MODES
@pytest.mark.parametrize("change", [_as_it_is, _tomorrow])
async def test_the_client_accepts_the_answers_of_every_tool(
    real: Wire, alice: Person, mode: Literal["auto", "legacy"], change: Change
) -> None:
    async with connected(real, alice, mode, change) as client:
        await client.list_tools()
        assert await _call_every_tool(client) == {tool.name for tool in TOOLS}


@BOTH_MODES
async def test_the_client_would_refuse_them_under_a_closed_catalogue(
    real: Wire, alice: Person, mode: Literal["auto", "legacy"]
) -> None:
    async with connected(real, alice, mode, _closed_catalogue) as client:
        await client.list_tools()
        with pytest.raises(RuntimeError, match="structured content"):
            await client.call_tool("describe_environment", {})
