"""A client that holds yesterday's catalogue accepts the answers of today's server."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import jsonschema_rs
import pytest

from tests.contract.mcp.stack import Wire
from tests.integration.core.proposing import propose_edge, propose_fact
from tests.people import Person
from threengram.core.call import Core
from threengram.gateway.tools import TOOLS

FACT = {"subject": "importer", "predicate": "rows", "value": "12", "confidence": 0.9}
ALL = {"selector": {"kind": "all"}}
SURPRISE = {"added": {"later": ["by", 1, None]}}


def note(content: str, **more: Any) -> dict[str, Any]:
    return {"memoryType": "note", "topic": "Importer", "content": content, **more}


def steps(ids: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of every tool, which fill most of the fields that an answer can have."""
    yield "remember", note("A queue of rows.", facts=[FACT], project="atlas", tags=["a"])
    yield "remember", note("Ship it.", memoryType="commitment", dueAt="2026-03-01T09:00:00Z", recurrence="FREQ=WEEKLY")
    yield "remember", note("No key.", memoryType="blocker")
    yield "remember", note("Older.", memoryType="decision")
    yield "revise", note("Two queues.", predecessorId=ids["A queue of rows."], facts=[{**FACT, "value": "24"}])
    yield "search", {"query": "queue", "limit": 1}
    yield "search", {"order": "chronological", "scope": "personal", "projection": "compact"}
    yield "get_memories", {"ids": [*ids.values(), "0190d3a8-7c2e-7000-8000-000000000000"]}
    yield "get_facts", {"range": {"from": "2026-01-01T00:00:00Z"}, "limit": 1}
    yield "briefing", {**ALL, "mode": "full"}
    yield "handoff", {**ALL, "generatedFor": "Bo"}
    yield "resolve", {"memoryId": ids["Ship it."], "status": "resolved"}
    yield "resolve", {"memoryId": ids["No key."], "status": "resolved"}
    yield "configure_scope", {"action": "create", "name": "garden", "aliases": ["yard"]}
    yield "configure_scope", {"action": "set_mapping", "project": "atlas", "scope": "garden"}
    yield "configure_scope", {"action": "set_retrieval_default", "mode": "default", "scope": "work"}
    yield "configure_scope", {"action": "list"}
    yield "configure_scope", {"action": "delete", "name": "garden"}
    yield "review_proposals", {"action": "list", "limit": 1}
    yield "review_proposals", {"action": "list"}
    yield "review_proposals", {"action": "accept", "proposalId": ids["edge"], "edgeType": "extends"}
    yield "review_proposals", {"action": "accept", "proposalId": ids["fact"]}
    yield "describe_environment", {}


def evolved(value: Any) -> Any:
    """The same answer as a later version would give it: one more field everywhere, new words for closed values."""
    if isinstance(value, dict) and value and all(isinstance(held, int) for held in value.values()):
        return {**value, "counted_tomorrow": 1}
    if isinstance(value, dict):
        return {**{name: evolved(held) for name, held in value.items()}, **SURPRISE}
    if isinstance(value, list):
        return [evolved(held) for held in value]
    return "a-value-of-tomorrow" if isinstance(value, str) and value.islower() and value.isidentifier() else value


@pytest.mark.parametrize("era", ["modern", "2025-06-18"])
async def test_real_answers_fit_the_catalogue_with_more_fields_and_new_values_too(
    real: Wire, core: Core, alice: Person, era: str
) -> None:
    ids: dict[str, str] = {"A queue of rows.": "", "Ship it.": "", "No key.": "", "edge": "", "fact": ""}
    listed = (await real.modern("tools/list", token=alice.token)).json()["result"]["tools"]
    validators = {tool["name"]: jsonschema_rs.validator_for(tool["outputSchema"]) for tool in listed}
    called = set()
    for tool, arguments in steps(ids):
        result = (await real.call(era, tool, arguments, token=alice.token)).json()["result"]
        assert result["isError"] is False, (tool, result)
        answer = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == answer
        validators[tool].validate(answer)
        validators[tool].validate(evolved(answer))
        called.add(tool)
        if tool == "remember":
            ids[arguments["content"]] = answer["memory"]["id"]
        if arguments.get("content") == "Older.":
            newer, older = UUID(ids["No key."]), UUID(ids["Older."])
            ids["edge"] = str(await propose_edge(core, alice, UUID(ids["Ship it."]), older, "extends"))
            ids["fact"] = str(await propose_fact(core, alice, older))
            await propose_edge(core, alice, newer, older, "extends")
    assert called == {tool.name for tool in TOOLS}
