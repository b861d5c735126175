"""One tool call: find the tool, check its scope, parse the arguments, open the call, run the verb, format it all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import ValidationError

from threengram.core.call import OpenCall
from threengram.core.errors import Error, InsufficientScope, Unauthenticated
from threengram.core.principal import Principal
from threengram.gateway import failures
from threengram.gateway.failures import Failure
from threengram.gateway.operations import correlation_id, outcome_of
from threengram.gateway.tools.tool import Tool
from threengram.runtime import lenient_json
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.logging import get_logger

_log = get_logger(__name__)


class UnknownTool(Exception):
    """No tool of that name is published."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call answered: `payload` is the JSON of a success, `failure` why there is none."""

    outcome: str
    payload: bytes = b""
    failure: Failure | None = None

    def wire(self) -> dict[str, Any]:
        """The `tools/call` result of every era. The payload goes out twice: older revisions read only `content`."""
        if self.failure is not None:
            content = [{"type": "text", "text": self.failure.text}]
            return {"content": content, "isError": True, "_meta": self.failure.meta}
        content = [{"type": "text", "text": self.payload.decode()}]
        return {"content": content, "structuredContent": orjson.Fragment(self.payload), "isError": False}


class Dispatcher:
    """Runs tool calls for any number of callers at once; holds nothing of any of them."""

    def __init__(self, tools: Sequence[Tool[Any, Any]], open_call: OpenCall, timeout_s: float) -> None:
        self.tools: Mapping[str, Tool[Any, Any]] = {tool.name: tool for tool in tools}
        self._open_call = open_call
        self._timeout_s = timeout_s

    async def call_tool(self, principal: Principal, name: str, arguments: Mapping[str, Any] | None) -> ToolResult:
        """The answer of a tool; every foreseen failure is one too.

        Raises `UnknownTool`, and `Unauthenticated` when the token was withdrawn.
        """
        tool = self.tools.get(name)
        if tool is None:
            raise UnknownTool
        try:
            request = tool.input.parse(orjson.dumps(arguments or {}))
        except ValidationError as error:
            return ToolResult("tool_error", failure=failures.of_arguments(error))
        except orjson.JSONEncodeError:
            return ToolResult("tool_error", failure=failures.of_unwritable(lenient_json.issue_of(arguments)))
        try:
            if tool.scopes.isdisjoint(principal.scopes):
                raise InsufficientScope(" or ".join(sorted(tool.scopes)))
            return ToolResult("ok", await self._run(tool, principal, request))
        except Unauthenticated:
            raise
        except Error as error:
            return ToolResult(outcome_of(error, "tool_error"), failure=failures.of_core(error))
        except DeadlineExceeded:
            return ToolResult("timeout", failure=failures.DEADLINE_EXCEEDED)
        except ValidationError as error:
            _log.exception("tool_output_refused", error, tool=name, correlation_id=correlation_id())
            return ToolResult("crash", failure=failures.of_output(correlation_id()))

    async def _run(self, tool: Tool[Any, Any], principal: Principal, request: Any) -> bytes:
        async with deadline(self._timeout_s), self._open_call(principal) as call:
            answer = await tool.handler(call, request)
            # Within the call, so that what a verb left to it to commit is undone by an answer that can't be told.
            return orjson.dumps(tool.output.model_validate(answer).wire())
