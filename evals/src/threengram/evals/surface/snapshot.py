"""What is published, as one file that a reviewer can read: a change of the surface is a change of this file."""

from collections.abc import Sequence
from typing import Any

import orjson

from threengram.gateway.instructions import INSTRUCTIONS
from threengram.gateway.prompts import PROMPTS
from threengram.gateway.resources import TEMPLATE
from threengram.gateway.tools.tool import Tool

Tools = Sequence[Tool[Any, Any]]


def published(tool: Tool[Any, Any]) -> dict[str, Any]:
    """The entry of `tools/list` as a client gets it."""
    return tool.published().model_dump(by_alias=True, mode="json", exclude_none=True)


def input_bytes(tools: Tools) -> int:
    """What a model pays for: input schemas and descriptions, as UTF-8 JSON."""
    return sum(len(orjson.dumps(tool.input_schema)) + len(tool.description.encode()) for tool in tools)


def list_bytes(tools: Tools) -> int:
    """The whole list of tools, as UTF-8 JSON."""
    return len(orjson.dumps({"tools": [published(tool) for tool in tools]}))


def snapshot(tools: Tools) -> bytes:
    """The file: names, descriptions, schemas, annotations and sizes of everything that is published."""
    surface = {
        "bytes": {"inputsAndDescriptions": input_bytes(tools), "list": list_bytes(tools)},
        "instructions": INSTRUCTIONS,
        "tools": [{**published(tool), "bytes": len(orjson.dumps(published(tool)))} for tool in tools],
        "prompts": [
            prompt.published().model_dump(by_alias=True, mode="json", exclude_none=True) for prompt in PROMPTS.values()
        ],
        "resourceTemplates": [TEMPLATE.model_dump(by_alias=True, mode="json", exclude_none=True)],
    }
    return orjson.dumps(surface, option=orjson.OPT_INDENT_2) + b"\n"
