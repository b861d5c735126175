"""The official Python client against the stack on a socket, in both of its eras."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.contract.mcp.stack import Stack, served

Mode = Literal["auto", "legacy"]
BOTH_MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


@contextlib.asynccontextmanager
async def connected(url: str, mode: Mode, token: str = "both") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@BOTH_MODES
async def test_a_client_finds_and_calls_a_tool(stack: Stack, mode: Mode) -> None:
    async with served(stack.app()) as url, connected(url, mode) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool("echo", {"text": "grüße"})

    assert [tool.name for tool in tools] == ["echo", "note", "fail"]
    assert result.is_error is False
    assert result.structured_content is not None
    assert result.structured_content["text"] == "grüße"


@BOTH_MODES
async def test_a_client_sees_an_error_result_and_a_protocol_error(stack: Stack, mode: Mode) -> None:
    async with served(stack.app()) as url, connected(url, mode) as client:
        refused = await client.call_tool("echo", {"text": "x", "scop": "y"})
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("zzz", {})
        with pytest.raises(MCPError) as missing:
            await client.read_resource("threengram://memory/1")

    assert refused.is_error is True
    assert refused.meta is not None
    assert refused.meta["code"] == "unknown_argument"
    assert unknown.value.error.code == -32602
    assert missing.value.error.code == -32602


@BOTH_MODES
async def test_a_client_lists_what_there_is(stack: Stack, mode: Mode) -> None:
    async with served(stack.app()) as url, connected(url, mode) as client:
        prompts = await client.list_prompts()
        resources = await client.list_resources()
        templates = await client.list_resource_templates()

    assert [prompt.name for prompt in prompts.prompts] == ["briefing", "debrief"]
    assert resources.resources == []
    assert [template.uri_template for template in templates.resource_templates] == ["threengram://memory/{id}"]


async def test_fifty_calls_of_two_principals_do_not_mix(stack: Stack) -> None:
    async with (
        served(stack.app()) as url,
        connected(url, "auto", "both") as one,
        connected(url, "legacy", "reader") as other,
    ):
        results = await asyncio.gather(
            *((one if number % 2 else other).call_tool("echo", {"text": str(number)}) for number in range(50))
        )

    for number, result in enumerate(results):
        claims = stack.tokens.claims["both" if number % 2 else "reader"]
        assert result.structured_content == {
            "text": str(number),
            "tenant": str(claims.tenant_id),
            "user": str(claims.user_id),
        }
