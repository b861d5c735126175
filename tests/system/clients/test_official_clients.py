"""The official clients, in every mode they have, see the same product."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.stack import RunningStack
from tests.system.nodejs import node
from threengram.gateway.tools import TOOLS

INVALID_PARAMS = -32602
MODERN = "2026-07-28"
NOTE = {"memoryType": "note", "topic": "Lantern", "project": "clients"}

Walk = Callable[[RunningStack, str, Path], Awaitable[dict[str, Any]]]


def typescript(script: str, mode: str = "") -> Walk:
    async def walk(stack: RunningStack, marker: str, directory: Path) -> dict[str, Any]:
        record = stack.record
        variables = {
            "MCP_URL": record["mcpUrl"],
            "MCP_TOKEN": record["token"],
            "MCP_MODE": mode,
            "MCP_MARKER": marker,
        }
        finished = await node(script, directory=directory, variables=variables)
        assert finished.code == 0, finished.errors
        seen: dict[str, Any] = json.loads(finished.output)
        return seen

    return walk


def python(mode: str) -> Walk:
    async def walk(stack: RunningStack, marker: str, _directory: Path) -> dict[str, Any]:
        record = stack.record
        async with (
            httpx2.AsyncClient(
                headers={"Authorization": f"Bearer {record['token']}"}, timeout=60, trust_env=False
            ) as http,
            Client(streamable_http_client(record["mcpUrl"], http_client=http), mode=mode) as client,
        ):
            seen = await seen_by(client, marker)
        return seen | {"badToken": await status_of_a_refused_token(record, mode)}

    return walk


async def seen_by(client: Client, marker: str) -> dict[str, Any]:
    tools = (await client.list_tools()).tools
    written = await client.call_tool("remember", {**NOTE, "content": f"The lantern {marker} burns whale oil."})
    assert written.structured_content is not None
    memory_id = written.structured_content["memory"]["id"]
    found: Any = await client.call_tool("search", {"query": f"lantern {marker}"})
    refused = await client.call_tool("search", {"query": "x", "scop": "y"})
    assert refused.meta is not None
    with pytest.raises(MCPError) as unknown:
        await client.call_tool("zzz", {})
    resource: Any = await client.read_resource(f"threengram://memory/{memory_id}")
    with pytest.raises(MCPError) as missing:
        await client.read_resource("threengram://memory/nothing")
    return {
        "tools": [tool.name for tool in tools],
        "id": memory_id,
        "found": found.structured_content["hits"][0]["id"],
        "mirror": json.loads(found.content[0].text)["hits"][0]["id"],
        "unknownArgument": {
            "isError": refused.is_error,
            "code": refused.meta["code"],
            "field": refused.meta["field"],
        },
        "unknownTool": unknown.value.error.code,
        "resource": json.loads(resource.contents[0].text)["content"],
        "missingResource": missing.value.error.code,
    }


async def status_of_a_refused_token(record: dict[str, Any], mode: str) -> int:
    """The HTTP status on which a client with a broken token gives up; this client doesn't show it in its error."""
    statuses: list[int] = []

    async def note(response: httpx2.Response) -> None:
        statuses.append(response.status_code)

    headers = {"Authorization": f"Bearer {record['token'][:-4]}AAAA"}
    hooks: Any = {"response": [note]}
    async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False, event_hooks=hooks) as http:
        with pytest.RaisesGroup(MCPError, flatten_subgroups=True):
            async with Client(streamable_http_client(record["mcpUrl"], http_client=http), mode=mode) as client:
                await client.list_tools()
    return statuses[-1]


@pytest.mark.parametrize(
    "walk",
    [
        pytest.param(typescript("client_v2.mjs", "legacy"), id="typescript-v2-legacy"),
        pytest.param(typescript("client_v2.mjs", "auto"), id="typescript-v2-auto"),
        pytest.param(typescript("client_v2.mjs", MODERN), id="typescript-v2-pinned"),
        pytest.param(typescript("client_v1.mjs"), id="typescript-v1"),
        pytest.param(python("legacy"), id="python-legacy"),
        pytest.param(python("auto"), id="python-auto"),
        pytest.param(python(MODERN), id="python-pinned"),
    ],
)
async def test_a_client_can_do_everything_and_is_told_what_is_wrong(
    walk: Walk, stack: RunningStack, tmp_path: Path
) -> None:
    marker = uuid4().hex
    seen = await walk(stack, marker, tmp_path)
    assert seen == {
        "tools": [tool.name for tool in TOOLS],
        "id": seen["id"],
        "found": seen["id"],
        "mirror": seen["id"],
        "unknownArgument": {"isError": True, "code": "unknown_argument", "field": "scop"},
        "unknownTool": INVALID_PARAMS,
        "resource": f"The lantern {marker} burns whale oil.",
        "missingResource": INVALID_PARAMS,
        "badToken": 401,
    }
