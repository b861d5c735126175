"""The tools that the conformance suite calls. They run through the product's dispatcher like any other."""

import base64
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
from mcp.shared.exceptions import MCPError
from pydantic import Field

from threengram.core.call import Call
from threengram.core.errors import InvalidCursor
from threengram.core.principal import Principal
from threengram.gateway.dispatch import Dispatcher, ToolResult
from threengram.gateway.tools.tool import READ, Tool
from threengram.schema.base import Input, Output
from threengram.schema.enums import OAuthScope

MISSING_REQUIRED_CLIENT_CAPABILITY = -32021
PNG = base64.b64encode(bytes.fromhex("89504e470d0a1a0a")).decode()
"""The signature of a PNG file, which is all of an image that anybody here looks at."""

WAV = base64.b64encode(b"RIFF$\0\0\0WAVE").decode()

TEXT = {"type": "text", "text": "This is a simple text response for testing."}
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
EMBEDDED = {
    "type": "resource",
    "resource": {
        "uri": "test://embedded-resource",
        "mimeType": "text/plain",
        "text": "This is an embedded resource content.",
    },
}


class NoInput(Input):
    """No arguments."""


class AnyInput(Input):
    """The arguments of the tool whose schema is given by the suite; it is listed and never called."""


class RegionInput(Input):
    """One argument that modern clients repeat in a header."""

    region: str = Field(json_schema_extra={"x-mcp-header": "Region"})


class Blocks(Output):
    """Content blocks of any kind; the product itself sends text only."""

    blocks: list[dict[str, Any]]


Handler = Callable[[Call, Any], Awaitable[Blocks]]


def _answering(*blocks: dict[str, Any]) -> Handler:
    async def handle(call: Call, _request: Input) -> Blocks:
        await call.admitted()
        return Blocks(blocks=list(blocks))

    return handle


async def _refuse(_call: Call, _request: Input) -> Blocks:
    raise InvalidCursor


async def _need_sampling(_call: Call, _request: Input) -> Blocks:
    needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
    raise MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message="Sampling is needed", data=needed)


class SchemaTool(Tool[AnyInput, Blocks]):
    """A tool whose advertised arguments are a JSON Schema by hand."""

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                }
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": False,
        }


def _tool(name: str, handler: Handler, *, kind: type[Tool[Any, Any]] = Tool, model: type[Input] = NoInput) -> Any:
    return kind(
        name=name,
        title=name.replace("_", " ").title(),
        description=f"The fixture {name}.",
        scopes=frozenset({OAuthScope.MEMORY_READ}),
        annotations=READ,
        input=model,
        output=Blocks,
        handler=handler,
    )


TOOLS: tuple[Tool[Any, Any], ...] = (
    _tool("test_simple_text", _answering(TEXT)),
    _tool("test_image_content", _answering(IMAGE)),
    _tool("test_audio_content", _answering(AUDIO)),
    _tool("test_embedded_resource", _answering(EMBEDDED)),
    _tool("test_multiple_content_types", _answering(TEXT, IMAGE, EMBEDDED)),
    _tool("test_error_handling", _refuse),
    _tool("test_tool_with_progress", _answering(TEXT)),
    _tool("test_missing_capability", _need_sampling),
    _tool("test_logging_tool", _answering(TEXT)),
    _tool("test_streaming_elicitation", _answering(TEXT)),
    _tool("test_region", _answering(TEXT), model=RegionInput),
    _tool("json_schema_2020_12_tool", _answering(TEXT), kind=SchemaTool, model=AnyInput),
)


@dataclass(frozen=True, slots=True)
class BlocksResult(ToolResult):
    """A success whose content is the blocks themselves instead of their text mirror."""

    def wire(self) -> dict[str, Any]:
        if self.failure is not None:
            return ToolResult.wire(self)
        content = orjson.loads(self.payload)["blocks"]
        return {"content": content, "structuredContent": orjson.Fragment(self.payload), "isError": False}


class BlocksDispatcher(Dispatcher):
    """The product's dispatcher, but for how a success is written."""

    async def call_tool(self, principal: Principal, name: str, arguments: Mapping[str, Any] | None) -> ToolResult:
        result = await super().call_tool(principal, name, arguments)
        return BlocksResult(result.outcome, result.payload, result.failure)
