"""The SDK's `Server`: the registry of handlers, one for the process, with nothing of a caller on it."""

from collections.abc import Mapping
from typing import Any

import mcp_types as t
import orjson
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from threengram.core.principal import Principal
from threengram.gateway.completions import Completions
from threengram.gateway.dispatch import Dispatcher, UnknownTool
from threengram.gateway.instructions import INSTRUCTIONS
from threengram.gateway.prompts import PROMPTS, prompt_named
from threengram.gateway.resources import TEMPLATE, Resources
from threengram.gateway.version import VERSION
from threengram.schema.bounds import CATALOGUE_TTL_MS, MEMORY_RESOURCE_TTL_MS

_PUBLIC = CacheHint(ttl_ms=CATALOGUE_TTL_MS, scope="public")
CACHE_HINTS: Mapping[CacheableMethod, CacheHint] = {
    "server/discover": _PUBLIC,
    "tools/list": _PUBLIC,
    "prompts/list": _PUBLIC,
    "resources/list": _PUBLIC,
    "resources/templates/list": _PUBLIC,
    "resources/read": CacheHint(ttl_ms=MEMORY_RESOURCE_TTL_MS, scope="private"),
}
"""Every cacheable method: one left out would be told to clients as always stale."""

Context = ServerRequestContext[Any, Any]


def unknown_tool(name: str) -> MCPError:
    """The protocol error for a tool that is not published."""
    return MCPError(code=t.INVALID_PARAMS, message=f"Unknown tool: {name[:128]}")


def build_server(dispatcher: Dispatcher, resources: Resources, completions: Completions) -> Server[Any]:
    """The server of this process. Handlers find their caller in `ctx.request.scope["state"]["principal"]`."""
    published = [tool.published() for tool in dispatcher.tools.values()]
    prompts = [prompt.published() for prompt in PROMPTS.values()]

    async def list_tools(_ctx: Context, params: t.PaginatedRequestParams | None) -> t.ListToolsResult:
        _refuse_cursor(params)
        return t.ListToolsResult(tools=published)

    async def list_prompts(_ctx: Context, params: t.PaginatedRequestParams | None) -> t.ListPromptsResult:
        _refuse_cursor(params)
        return t.ListPromptsResult(prompts=prompts)

    async def list_resources(_ctx: Context, params: t.PaginatedRequestParams | None) -> t.ListResourcesResult:
        # Empty on purpose: a list would enumerate the corpus.
        _refuse_cursor(params)
        return t.ListResourcesResult(resources=[])

    async def list_templates(_ctx: Context, params: t.PaginatedRequestParams | None) -> t.ListResourceTemplatesResult:
        _refuse_cursor(params)
        return t.ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def call_tool(ctx: Context, params: t.CallToolRequestParams) -> t.CallToolResult:
        try:
            result = await dispatcher.call_tool(_principal(ctx), params.name, params.arguments)
        except UnknownTool:
            raise unknown_tool(params.name) from None
        return t.CallToolResult.model_validate(orjson.loads(orjson.dumps(result.wire())))

    async def get_prompt(_ctx: Context, params: t.GetPromptRequestParams) -> t.GetPromptResult:
        return prompt_named(params.name).get(params.arguments)

    async def read_resource(ctx: Context, params: t.ReadResourceRequestParams) -> t.ReadResourceResult:
        return await resources.read(_principal(ctx), str(params.uri))

    async def complete(ctx: Context, params: t.CompleteRequestParams) -> t.CompleteResult:
        return await completions.complete(_principal(ctx), params.ref, params.argument)

    server: Server[Any] = Server(
        "3ngram",
        version=VERSION,
        title="3ngram",
        instructions=INSTRUCTIONS,
        cache_hints=CACHE_HINTS,
        get_tool_input_schema=lambda name: dispatcher.tools[name].input_schema if name in dispatcher.tools else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_completion=complete,
    )
    # The SDK's own tracing puts the client's words into span names.
    server.middleware.clear()
    return server


def _principal(ctx: Context) -> Principal:
    request: Any = ctx.request
    principal: Principal = request.scope["state"]["principal"]
    return principal


def _refuse_cursor(params: t.PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        raise MCPError(code=t.INVALID_PARAMS, message="Unknown cursor: this list has one page")
