"""The published surface: its budgets and its invariants, held for every tool that is ever added."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from mcp_types.methods import CACHEABLE_METHODS

from threengram.gateway.instructions import INSTRUCTIONS
from threengram.gateway.server import CACHE_HINTS
from threengram.gateway.tools import TOOLS, Tool

ALL_TOOLS = (
    "remember", "search", "get_facts", "revise", "resolve", "briefing", "handoff", "get_memories", "configure_scope",
    "describe_environment", "review_proposals",
)  # fmt: skip
EACH_TOOL = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)

MAX_INPUT_BYTES = 17_000
MAX_LIST_BYTES = 32_000


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from _nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _nodes(value)


def _objects(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [node for node in _nodes(schema) if isinstance(node.get("properties"), dict)]


def _published(tool: Tool[Any, Any]) -> dict[str, Any]:
    return tool.published().model_dump(by_alias=True, mode="json", exclude_none=True)


def test_the_tools_stand_in_published_order() -> None:
    names = [tool.name for tool in TOOLS]

    assert names == [name for name in ALL_TOOLS if name in names]


def test_what_a_model_pays_for_stays_in_its_budget() -> None:
    input_bytes = sum(len(orjson.dumps(tool.input_schema)) + len(tool.description.encode()) for tool in TOOLS)
    list_bytes = sum(len(orjson.dumps(_published(tool))) for tool in TOOLS)

    assert input_bytes <= MAX_INPUT_BYTES
    assert list_bytes <= MAX_LIST_BYTES


@EACH_TOOL
def test_all_four_hints_are_explicit(tool: Tool[Any, Any]) -> None:
    hints = _published(tool)["annotations"]

    assert set(hints) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert hints["openWorldHint"] is False
    if hints["readOnlyHint"]:
        assert (hints["destructiveHint"], hints["idempotentHint"]) == (False, True)


@EACH_TOOL
def test_inputs_are_closed_and_outputs_open_at_every_depth(tool: Tool[Any, Any]) -> None:
    published = _published(tool)

    assert all(node["additionalProperties"] is False for node in _objects(published["inputSchema"]))
    assert all(node["additionalProperties"] is True for node in _objects(published["outputSchema"]))


@EACH_TOOL
@pytest.mark.parametrize("side", ["inputSchema", "outputSchema"])
def test_schemas_are_plain(tool: Tool[Any, Any], side: str) -> None:
    schema = _published(tool)[side]

    assert schema["type"] == "object"
    assert not {"oneOf", "anyOf", "allOf", "$defs"} & set(schema)
    for node in _nodes(schema):
        assert not {"$ref", "$defs"} & set(node)
        assert not isinstance(node.get("format"), str) or node["format"] == "date-time"
        if side == "outputSchema" and "properties" not in node:
            assert not isinstance(node.get("enum"), list)


@EACH_TOOL
def test_a_description_is_for_one_screen_and_names_no_tool_that_does_not_exist(tool: Tool[Any, Any]) -> None:
    published = {other.name for other in TOOLS}

    assert 40 <= len(tool.description) <= 700
    assert tool.title == tool.name.replace("_", " ").title()
    assert not [name for name in ALL_TOOLS if "_" in name and name not in published and name in tool.description]


def test_the_instructions_name_only_tools_that_exist() -> None:
    published = {tool.name for tool in TOOLS}

    assert len(INSTRUCTIONS) <= 1_200
    assert not [name for name in ALL_TOOLS if name not in published and name in INSTRUCTIONS]


def test_every_cacheable_method_has_a_hint() -> None:
    assert set(CACHE_HINTS) == set(CACHEABLE_METHODS)
