"""What a token may do, for every tool and every action of a tool: reading and writing do not imply each other."""

from typing import Any

import pytest

from tests.contract.mcp.stack import Wire
from tests.people import a_person
from threengram.core.call import Core
from threengram.gateway.tools import TOOLS
from threengram.schema.enums import OAuthScope

UNKNOWN = "0190d3a8-7c2e-7000-8000-000000000000"
READ, WRITE = OAuthScope.MEMORY_READ, OAuthScope.MEMORY_WRITE
SELECTOR = {"selector": {"kind": "all"}}
NOTE = {"memoryType": "note", "topic": "t", "content": "c"}

NEEDS: dict[str, tuple[str, dict[str, Any], OAuthScope]] = {
    "remember": ("remember", NOTE, WRITE),
    "search": ("search", {"query": "q"}, READ),
    "get_facts": ("get_facts", {}, READ),
    "revise": ("revise", {**NOTE, "predecessorId": UNKNOWN}, WRITE),
    "resolve": ("resolve", {"memoryId": UNKNOWN, "status": "resolved"}, WRITE),
    "briefing": ("briefing", SELECTOR, READ),
    "handoff": ("handoff", SELECTOR, READ),
    "get_memories": ("get_memories", {"ids": [UNKNOWN]}, READ),
    "describe_environment": ("describe_environment", {}, READ),
    "scopes: list": ("configure_scope", {"action": "list"}, READ),
    "scopes: create": ("configure_scope", {"action": "create", "name": "n"}, WRITE),
    "scopes: rename": ("configure_scope", {"action": "rename", "name": "n", "newName": "m"}, WRITE),
    "scopes: aliases": ("configure_scope", {"action": "set_aliases", "name": "n", "aliases": []}, WRITE),
    "scopes: mapping": ("configure_scope", {"action": "set_mapping", "project": "p", "scope": "work"}, WRITE),
    "scopes: delete": ("configure_scope", {"action": "delete", "name": "n"}, WRITE),
    "scopes: default": ("configure_scope", {"action": "set_retrieval_default", "mode": "off"}, WRITE),
    "proposals: list": ("review_proposals", {"action": "list"}, READ),
    "proposals: accept": ("review_proposals", {"action": "accept", "proposalId": UNKNOWN}, WRITE),
    "proposals: reject": ("review_proposals", {"action": "reject", "proposalId": UNKNOWN}, WRITE),
}


def test_every_tool_is_in_the_matrix() -> None:
    assert {tool for tool, _, _ in NEEDS.values()} == {tool.name for tool in TOOLS}


@pytest.mark.parametrize("era", ["modern", "2025-06-18"])
@pytest.mark.parametrize("granted", [(), (READ,), (WRITE,), (READ, WRITE)], ids=["none", "read", "write", "both"])
async def test_a_token_does_what_its_scopes_say_and_nothing_else(
    real: Wire, core: Core, era: str, granted: tuple[OAuthScope, ...]
) -> None:
    person = await a_person(core.database, scopes=granted, now=core.clock())
    allowed = {}
    for name, (tool, arguments, _) in NEEDS.items():
        response = await real.call(era, tool, arguments, token=person.token)
        if response.status_code == 403:
            assert 'error="insufficient_scope"' in response.headers["www-authenticate"]
            allowed[name] = False
        else:
            result = response.json()["result"]
            allowed[name] = result.get("_meta", {}).get("code") != "insufficient_scope"
    assert allowed == {name: needed in granted for name, (_, _, needed) in NEEDS.items()}
