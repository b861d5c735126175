"""JSON-RPC batches, which exist up to 2025-03-26."""

import asyncio
from typing import Any

import pytest

from tests.contract.mcp.stack import (
    FIXTURE_TOOLS,
    MODERN,
    EchoInput,
    EchoOutput,
    Stack,
    Wire,
    modern_body,
    request_body,
    wire,
)
from threengram.core.call import Call
from threengram.gateway.http.endpoint import MAX_CONCURRENT_IN_BATCH
from threengram.gateway.tools.tool import READ, Tool
from threengram.schema.bounds import MAX_BATCH_MESSAGES
from threengram.schema.enums import OAuthScope


def _call(request_id: int, text: str, tool: str = "echo") -> dict[str, Any]:
    return request_body("tools/call", {"name": tool, "arguments": {"text": text}}, request_id)


@pytest.mark.parametrize("version", [None, "2024-10-07", "2024-11-05", "2025-03-26"])
async def test_a_batch_is_answered_in_one_array_in_order(mcp: Wire, version: str | None) -> None:
    batch = [
        _call(1, "a"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request_body("ping", request_id="p"),
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        _call(2, "b", tool="zzz"),
        {"jsonrpc": "2.0", "id": 9, "result": {}},
    ]
    response = await mcp.send(batch, headers={} if version is None else {"mcp-protocol-version": version})

    answers = response.json()
    assert response.status_code == 200
    assert [answer["id"] for answer in answers] == [1, "p", None, 2]
    assert answers[0]["result"]["structuredContent"]["text"] == "a"
    assert answers[1]["result"] == {}
    assert answers[2]["error"]["code"] == -32600
    assert answers[3]["error"]["code"] == -32602


async def test_a_batch_of_notifications_is_accepted(mcp: Wire) -> None:
    response = await mcp.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2)

    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.parametrize("size", [0, MAX_BATCH_MESSAGES + 1])
async def test_the_size_of_a_batch_is_bounded(mcp: Wire, size: int) -> None:
    response = await mcp.send([request_body("ping", request_id=number) for number in range(size)])

    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32600


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", MODERN])
async def test_later_revisions_have_no_batches(mcp: Wire, version: str) -> None:
    response = await mcp.send([request_body("ping")], headers={"mcp-protocol-version": version})

    assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


async def test_initialize_and_modern_messages_do_not_belong_in_a_batch(mcp: Wire) -> None:
    params = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}
    response = await mcp.send([request_body("initialize", params, 1), modern_body("tools/list", {}, 2)])

    assert [(answer["id"], answer["error"]["code"]) for answer in response.json()] == [(1, -32600), (2, -32600)]


async def test_nothing_of_a_batch_runs_when_a_scope_is_missing(stack: Stack) -> None:
    ran: list[str] = []
    async with wire(Stack(tools=(*FIXTURE_TOOLS, _recording(ran))).app()) as mcp:
        response = await mcp.send([_call(1, "a", "record"), _call(2, "b", "note")], token="reader")

    assert response.status_code == 403
    assert ran == []


async def test_every_message_of_a_batch_counts_against_the_limit(mcp: Wire, stack: Stack) -> None:
    await mcp.send([request_body("ping", request_id=number) for number in range(5)])

    assert stack.limiter.calls == {str(stack.tokens.claims["both"].user_id): 5}


async def test_a_batch_of_a_withdrawn_token_is_unauthenticated(mcp: Wire, stack: Stack) -> None:
    stack.revoke("both")

    assert (await mcp.send([request_body("ping"), _call(2, "a")])).status_code == 401


async def test_few_messages_of_a_batch_run_at_the_same_time() -> None:
    running: list[int] = []
    seen: list[int] = []

    async def busy(call: Call, request: EchoInput) -> EchoOutput:
        running.append(1)
        seen.append(len(running))
        for _ in range(5):
            await asyncio.sleep(0)
        running.pop()
        return _output(call, request)

    async with wire(Stack(tools=(_tool_of(busy),)).app()) as mcp:
        response = await mcp.send([_call(number, "x", "record") for number in range(MAX_BATCH_MESSAGES)])

    assert len(response.json()) == MAX_BATCH_MESSAGES
    assert 1 < max(seen) <= MAX_CONCURRENT_IN_BATCH


def _output(call: Call, request: EchoInput) -> EchoOutput:
    return EchoOutput(text=request.text, tenant=call.principal.tenant_id, user=call.principal.user_id)


def _recording(ran: list[str]) -> Tool[Any, Any]:
    async def record(call: Call, request: EchoInput) -> EchoOutput:
        ran.append(request.text)
        return _output(call, request)

    return _tool_of(record)


def _tool_of(handler: Any) -> Tool[Any, Any]:
    return Tool(
        name="record",
        title="Record",
        description="Record a call.",
        scopes=frozenset({OAuthScope.MEMORY_READ}),
        annotations=READ,
        input=EchoInput,
        output=EchoOutput,
        handler=handler,
    )
