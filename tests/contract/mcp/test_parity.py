"""The SDK's own transport on the same server object gives the same results."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx2
import pytest
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from tests.contract.mcp.stack import PUBLIC_URL, Stack, Wire, wire
from threengram.core.principal import Principal
from threengram.gateway.build import build_server_of
from threengram.schema.enums import ActorKind

MEMORY = {"type": "ref/resource", "uri": "threengram://memory/{id}"}
REQUESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tools/list", {}),
    ("prompts/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("tools/call", {"name": "echo", "arguments": {"text": "grüße 漢字 \x00\n", "times": 2}}),
    ("tools/call", {"name": "echo", "arguments": {"text": ""}}),
    ("tools/call", {"name": "echo", "arguments": {"text": "x", "scop": "y"}}),
    ("tools/call", {"name": "echo"}),
    ("tools/call", {"name": "fail", "arguments": {"mode": "not_found"}}),
    ("tools/call", {"name": "fail", "arguments": {"mode": "unavailable"}}),
    ("tools/call", {"name": "fail", "arguments": {"mode": "suspended"}}),
    ("tools/call", {"name": "zzz", "arguments": {}}),
    ("tools/call", {"arguments": {}}),
    ("prompts/get", {"name": "zzz"}),
    ("prompts/get", {"name": "briefing", "arguments": {"selector": "project", "project": "漢字"}}),
    ("prompts/get", {"name": "briefing", "arguments": {"selector": "scope"}}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "zzz"}, "argument": {"name": "a", "value": ""}}),
    ("completion/complete", {"ref": MEMORY, "argument": {"name": "id", "value": "0"}}),
    ("resources/read", {"uri": "threengram://memory/1"}),
    ("no/such", {}),
)
LEGACY_ONLY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ping", {}),
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "r", "version": "0"}}),
    ("initialize", {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "r", "version": "0"}}),
    ("initialize", {}),
)


@contextlib.asynccontextmanager
async def sdk_transport(stack: Stack) -> AsyncIterator[Wire]:
    """The SDK's transport, the caller of token `both` already verified."""
    server, _ = build_server_of(stack.collaborators(), stack.limits)
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    claims = stack.tokens.claims["both"]
    principal = Principal(claims.tenant_id, claims.user_id, claims.token_id, claims.scopes, ActorKind.USER_MCP)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"] = {"principal": principal}
        await manager.handle_request(scope, receive, send)

    async with manager.run(), httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=PUBLIC_URL) as http:
        yield Wire(http)


@pytest.mark.parametrize(("method", "params"), REQUESTS)
async def test_modern_answers_agree(stack: Stack, method: str, params: Mapping[str, Any]) -> None:
    async with wire(stack.app()) as ours, sdk_transport(stack) as theirs:
        here, there = await ours.modern(method, params), await theirs.modern(method, params)

    assert here.json() == there.json()


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
@pytest.mark.parametrize(("method", "params"), [*REQUESTS, *LEGACY_ONLY])
async def test_answers_of_older_revisions_agree(
    stack: Stack, version: str, method: str, params: Mapping[str, Any]
) -> None:
    async with wire(stack.app()) as ours, sdk_transport(stack) as theirs:
        here = await ours.legacy(method, params, version=version)
        there = await theirs.legacy(method, params, version=version)

    assert here.json() == there.json()
    assert here.status_code == there.status_code
