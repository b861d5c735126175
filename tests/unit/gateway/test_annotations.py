"""What a client may conclude about the tools before it calls one."""

from collections.abc import Iterator
from typing import Any

from threengram.gateway.instructions import INSTRUCTIONS
from threengram.gateway.tools import TOOLS

CLOSED_BY = {"const", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "uniqueItems"}
READS = {"search", "get_facts", "briefing", "handoff", "get_memories", "describe_environment"}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
    for value in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from nodes(value)


def test_there_are_eleven_tools() -> None:
    assert len(TOOLS) == len({tool.name for tool in TOOLS}) == 11


def test_only_the_registry_of_scopes_can_lose_something() -> None:
    assert {tool.name for tool in TOOLS if tool.annotations.destructive} == {"configure_scope"}
    assert {tool.name for tool in TOOLS if tool.annotations.read_only} == READS


def test_hints_speak_of_the_worst_action_whatever_scope_it_needs() -> None:
    mixed = {tool.name for tool in TOOLS if len(tool.scopes) > 1}
    assert mixed == {"configure_scope", "review_proposals"}
    assert not [tool.name for tool in TOOLS if tool.name in mixed and tool.annotations.read_only]


def test_answers_are_advertised_loosely_enough_for_a_new_value() -> None:
    for tool in TOOLS:
        schema = tool.published().model_dump(by_alias=True, mode="json", exclude_none=True)["outputSchema"]
        properties = [held for node in nodes(schema) for held in nodes(node.get("properties", {}))]
        assert not [node for node in properties if CLOSED_BY & node.keys() and "type" in node], tool.name
        assert not [node for node in properties if isinstance(node.get("enum"), list)], tool.name


def test_the_instructions_say_how_to_use_the_whole() -> None:
    for job in ("search", "remember", "revise", "resolve", "get_facts", "get_memories", "scope", "project"):
        assert job in INSTRUCTIONS


def test_how_to_state_a_fact_is_said_where_facts_are_stated() -> None:
    (remember,) = (tool for tool in TOOLS if tool.name == "remember")
    for text in (remember.description, INSTRUCTIONS):
        assert "one measure each" in text or "one measure per fact" in text
        assert "unit in the predicate" in text
