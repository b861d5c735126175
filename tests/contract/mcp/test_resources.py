"""`threengram://memory/{id}`."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID

import pytest

from tests.contract.mcp.stack import Stack, Wire, wire
from threengram.core.call import Call
from threengram.core.errors import NotFound
from threengram.gateway import resources
from threengram.schema.enums import MemoryType
from threengram.schema.memories import MemoryResource

ID = UUID("0190d3a8-7c2e-7000-8000-0000000000ab")
MEMORY = MemoryResource(
    id=ID,
    memory_type=MemoryType.NOTE,
    topic="Umlaute",
    content="ü" * 262_144,
    content_length=262_144,
    project=None,
    recorded_at=datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
)


async def _read(call: Call, memory_id: UUID) -> MemoryResource:
    await call.admitted()
    if memory_id != ID:
        raise NotFound("memory", str(memory_id))
    return MEMORY


@pytest.fixture
async def mcp(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
    monkeypatch.setattr(resources, "read_resource", _read)
    async with wire(stack.app()) as requests:
        yield requests


async def test_a_memory_is_read_in_full_and_may_be_kept_for_a_day(mcp: Wire) -> None:
    result = (await mcp.modern("resources/read", {"uri": f"threengram://memory/{ID}"})).json()["result"]

    (content,) = result["contents"]
    assert (result["ttlMs"], result["cacheScope"]) == (86_400_000, "private")
    assert content["mimeType"] == "application/json"
    assert content["uri"] == f"threengram://memory/{ID}"
    assert json.loads(content["text"]) == MEMORY.wire()


async def test_older_revisions_read_it_without_hints(mcp: Wire) -> None:
    result = (await mcp.legacy("resources/read", {"uri": f"threengram://memory/{str(ID).upper()}"})).json()["result"]

    assert set(result) == {"contents"}
    assert json.loads(result["contents"][0]["text"])["id"] == str(ID)


@pytest.mark.parametrize(
    "uri",
    [
        "threengram://memory/0190d3a8-7c2e-7000-8000-0000000000ff",
        "threengram://memory/",
        "threengram://memory/1",
        "threengram://memory/0190d3a87c2e70008000000000000-ab-----",
        f"threengram://memory/{ID}/x",
        f"threengram://memory/{ID}?x=1",
        f"other://memory/{ID}",
        "not a uri",
    ],
)
@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_missing_foreign_and_malformed_ids_answer_identically(mcp: Wire, era: str, uri: str) -> None:
    request = mcp.modern if era == "modern" else mcp.legacy
    response = await request("resources/read", {"uri": uri})

    assert response.status_code == 200
    assert response.json()["error"] == {"code": -32602, "message": "Resource not found", "data": {"uri": uri}}


async def test_a_suspended_account_reads_nothing(mcp: Wire, stack: Stack) -> None:
    stack.suspend("both")
    response = await mcp.modern("resources/read", {"uri": f"threengram://memory/{ID}"})

    assert response.json()["error"]["data"]["code"] == "access_denied"


async def test_a_malformed_id_is_not_looked_at_before_the_caller_is_admitted(mcp: Wire, stack: Stack) -> None:
    stack.revoke("both")

    assert (await mcp.modern("resources/read", {"uri": "threengram://memory/1"})).status_code == 401


async def test_a_crash_while_reading_says_nothing_but_where_to_look(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(_call: Call, _memory_id: UUID) -> MemoryResource:
        raise RuntimeError("postgres://user:password@host/db")

    monkeypatch.setattr(resources, "read_resource", crash)
    async with wire(stack.app()) as mcp:
        response = await mcp.legacy("resources/read", {"uri": f"threengram://memory/{ID}"})

    error = response.json()["error"]
    assert error["code"] == -32603
    assert error["message"].startswith("internal_error: ")
    assert "password" not in response.text
