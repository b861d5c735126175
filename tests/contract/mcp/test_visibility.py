"""What is superseded, archived or erased appears on no read path of MCP that should not show it."""

from typing import Any

import pytest

from tests.contract.mcp.stack import Wire
from tests.contract.visibility import ARCHIVED, LIVE, SUPERSEDED, WORDS, Lives, lived, shown
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.memories import archive
from threengram.schema.revisions import ArchiveInput

ALL = {"kind": "all"}
CHRONOLOGICAL = {"order": "chronological", "memoryType": "decision", "limit": 25}

TOOLS: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "search by words": ("search", {"query": " ".join(WORDS), "limit": 25}, {LIVE, SUPERSEDED}),
    "search by meaning": ("search", {"query": "what did we decide?", "limit": 25}, {LIVE, SUPERSEDED}),
    "search by time": ("search", CHRONOLOGICAL, {LIVE, SUPERSEDED}),
    "search what is archived": ("search", {**CHRONOLOGICAL, "status": "archived"}, {ARCHIVED}),
    "get_facts": ("get_facts", {}, {LIVE}),
    "briefing": ("briefing", {"selector": ALL, "mode": "full"}, {LIVE}),
    "handoff": ("handoff", {"selector": ALL}, {LIVE}),
    "get_memories": ("get_memories", {}, {LIVE, SUPERSEDED, ARCHIVED}),
    "review_proposals": ("review_proposals", {"action": "list"}, set()),
    "describe_environment": ("describe_environment", {}, set()),
    "configure_scope": ("configure_scope", {"action": "list"}, set()),
}
"""A read, its arguments, and the words it may show. The superseded are shown by a search, below what replaced them."""


async def call(real: Wire, person: Person, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = (await real.call("modern", tool, arguments, token=person.token)).json()["result"]
    assert result["isError"] is False, result
    content: dict[str, Any] = result["structuredContent"]
    return content


@pytest.fixture
async def lives(real: Wire, core: Core, alice: Person, owner_url: str) -> Lives:
    async def write(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return await call(real, alice, tool, arguments)

    async def put_away(memory_id: str) -> None:
        async with open_call(core, alice.principal) as opened:
            await archive(opened, ArchiveInput.parse(f'{{"memoryId": "{memory_id}"}}'))

    return await lived(write, put_away, owner_url, alice.principal)


@pytest.mark.parametrize(("tool", "arguments", "words"), TOOLS.values(), ids=TOOLS.keys())
async def test_a_tool_shows_only_what_it_should(
    real: Wire, alice: Person, lives: Lives, tool: str, arguments: dict[str, Any], words: set[str]
) -> None:
    if tool == "get_memories":
        arguments = {"ids": list(lives.ids.values())}
    answer = await call(real, alice, tool, arguments)
    assert shown(str(answer)) == words


async def test_a_superseded_memory_stands_below_what_replaced_it(real: Wire, alice: Person, lives: Lives) -> None:
    answer = await call(real, alice, "search", {"query": f"{SUPERSEDED} successor", "limit": 25})
    superseded = [hit["superseded"] for hit in answer["hits"]]
    assert superseded == sorted(superseded)
    assert answer["hits"][superseded.index(True)]["id"] == lives.ids[SUPERSEDED]


async def test_the_resource_of_a_memory_outlives_all_but_erasure(real: Wire, alice: Person, lives: Lives) -> None:
    found = set()
    for memory_id in lives.ids.values():
        params = {"uri": f"threengram://memory/{memory_id}"}
        body = (await real.modern("resources/read", params, token=alice.token)).json()["result"]
        found |= shown(str(body))
    assert found == {LIVE, SUPERSEDED, ARCHIVED}


@pytest.mark.parametrize("name", ["scope", "project"])
async def test_only_names_in_use_are_completed(real: Wire, alice: Person, lives: Lives, name: str) -> None:
    params = {"ref": {"type": "ref/prompt", "name": "debrief"}, "argument": {"name": name, "value": name}}
    body = (await real.modern("completion/complete", params, token=alice.token)).json()["result"]
    assert sorted(body["completion"]["values"]) == [f"{name}-{LIVE}", f"{name}-successor"]
    assert lives.ids
