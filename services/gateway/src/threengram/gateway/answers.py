"""One message to one answer: checked first, so that nothing runs in a batch that is refused; then run.

Catalogues come from memory and tool calls go straight to the dispatcher; everything else runs in the SDK's kernel,
which would give the same answers at several times the cost.
"""

from dataclasses import dataclass
from typing import Any

import mcp_types as t
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import validate_mcp_param_headers, x_mcp_header_map
from mcp_types.methods import validate_client_request
from pydantic import ValidationError
from starlette.requests import Request as HttpRequest
from starlette.types import Scope

from threengram.core.call import OpenCall
from threengram.core.errors import Error, Unauthenticated
from threengram.core.principal import Principal
from threengram.gateway import completions, failures
from threengram.gateway.catalogue import Catalogue, precomputed
from threengram.gateway.dispatch import Dispatcher, ToolResult, UnknownTool
from threengram.gateway.failures import Failure
from threengram.gateway.http.eras import Era, Refusal, RoutingHeaders, era_of, status_of, status_of_handler_error
from threengram.gateway.http.kernel import serve
from threengram.gateway.http.messages import FAILED, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Request
from threengram.gateway.http.replies import rpc_error, rpc_result
from threengram.gateway.http.routing_headers import Labels, labels_of
from threengram.gateway.operations import Operation, correlation_id, count, outcome_of
from threengram.gateway.resources import READ_SCOPES
from threengram.gateway.server import unknown_tool
from threengram.runtime.deadline import DeadlineExceeded, deadline
from threengram.runtime.logging import get_logger
from threengram.schema.enums import OAuthScope

_log = get_logger(__name__)
_NO_FLOOR: frozenset[OAuthScope] = frozenset()
_ADMIT_THEMSELVES = frozenset({"resources/read", completions.METHOD})


@dataclass(frozen=True, slots=True)
class Checked:
    """A request whose envelope is good. `scopes`: any of them is needed before its arguments are looked at."""

    request: Request
    era: Era
    labels: Labels
    scopes: frozenset[OAuthScope]


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status, should the message be alone in its request, and the JSON-RPC response."""

    status: int
    body: bytes


WITHDRAWN = Answer(401, b"")
"""The token no longer stands, which was learnt in the middle of a call."""


class Answers:
    """Answers messages for any number of callers at once. `start` before serving."""

    def __init__(self, server: Server[Any], dispatcher: Dispatcher, open_call: OpenCall, timeout_s: float) -> None:
        self._server = server
        self._dispatcher = dispatcher
        self._open_call = open_call
        self._timeout_s = timeout_s
        self._catalogue: Catalogue = {}
        self._stamp = {t.SERVER_INFO_META_KEY: server.server_info_stamp}
        self._mirrored = {
            tool.name: tool.input_schema for tool in dispatcher.tools.values() if x_mcp_header_map(tool.input_schema)
        }

    async def start(self) -> None:
        """Make the catalogues."""
        self._catalogue = await precomputed(self._server)

    def check(self, request: Request, headers: RoutingHeaders, scope: Scope) -> Checked | Refusal:
        """The envelope: era, headers that mirror the body, method, and the shape of its parameters."""
        name = (request.params or {}).get("name")
        labels = labels_of(request.method, name, self._dispatcher.tools)
        checked = self._checked(request, headers, scope, labels)
        if isinstance(checked, Refusal):
            count(labels, "protocol_error")
        return checked

    def _checked(self, request: Request, headers: RoutingHeaders, scope: Scope, labels: Labels) -> Checked | Refusal:
        era = era_of(request, headers)
        if isinstance(era, Refusal):
            return era
        refusal = self._unfit(request, era, scope)
        return refusal or Checked(request, era, labels, self._floor(request))

    def _unfit(self, request: Request, era: Era, scope: Scope) -> Refusal | None:
        try:
            validate_client_request(request.method, era.version, request.params)
        except KeyError:
            return _refused(request, era, METHOD_NOT_FOUND, "Method not found", request.method)
        except ValidationError:
            return _refused(request, era, INVALID_PARAMS, "Invalid request parameters", "")
        params = request.params or {}
        schema = self._mirrored.get(params["name"]) if request.method == "tools/call" else None
        if schema is None or not era.is_modern:
            return None
        mirror = validate_mcp_param_headers(schema, params.get("arguments") or {}, HttpRequest(scope).headers)
        return None if mirror is None else _refused(request, era, mirror.code, mirror.message, mirror.data)

    def _floor(self, request: Request) -> frozenset[OAuthScope]:
        if request.method == "tools/call":
            tool = self._dispatcher.tools.get((request.params or {})["name"])
            return _NO_FLOOR if tool is None else tool.scopes
        return READ_SCOPES if request.method == "resources/read" else _NO_FLOOR

    async def run(self, checked: Checked, principal: Principal, scope: Scope) -> Answer:
        """The answer of a checked request; never raises but for cancellation."""
        request, era = checked.request, checked.era
        meta = (request.params or {}).get("_meta")
        with Operation(checked.labels, era.version, meta) as operation:
            try:
                result = await self._result(checked, principal, scope, operation)
            except Unauthenticated as error:
                operation.end("denied", error.code)
                return WITHDRAWN
            except Error as error:
                operation.end(outcome_of(error, "protocol_error"), error.code)
                return self._failed(request, era, failures.of_core(error))
            except DeadlineExceeded:
                operation.end("timeout")
                return self._failed(request, era, failures.DEADLINE_EXCEEDED)
            except MCPError as error:
                operation.end("protocol_error", str(error.error.code))
                body = rpc_error(request.id, error.error.code, error.error.message, error.error.data)
                return Answer(status_of_handler_error(error.error.code, is_modern=era.is_modern), body)
            except Exception as error:  # noqa: BLE001 - the one place where anything unforeseen becomes an answer
                _log.exception("call_crashed", error, tool=checked.labels.tool, correlation_id=correlation_id())
                return self._crashed(request, era)
            return Answer(200, rpc_result(request.id, result))

    async def _result(self, checked: Checked, principal: Principal, scope: Scope, operation: Operation) -> Any:
        request, era = checked.request, checked.era
        if request.method == "tools/call":
            result = await self._call_tool(request, principal)
            operation.end(result.outcome, None if result.failure is None else result.failure.code)
            return self._stamped(result.wire(), era)
        async with deadline(self._timeout_s):
            if request.method not in _ADMIT_THEMSELVES:
                async with self._open_call(principal) as call:
                    await call.admitted()
            answer: Any = self._catalogue.get((request.method, era.version))
            if answer is None or (request.params or {}).get("cursor") is not None:
                answer = await serve(self._server, request, era, HttpRequest(scope))
        operation.end("ok")
        return answer

    async def _call_tool(self, request: Request, principal: Principal) -> ToolResult:
        params = request.params or {}
        try:
            return await self._dispatcher.call_tool(principal, params["name"], params.get("arguments"))
        except UnknownTool:
            raise unknown_tool(params["name"]) from None

    def _stamped(self, wire: dict[str, Any], era: Era) -> dict[str, Any]:
        if era.is_modern:
            wire["resultType"] = "complete"
            wire["_meta"] = {**wire.get("_meta", {}), **self._stamp}
        return wire

    def _crashed(self, request: Request, era: Era) -> Answer:
        failure = failures.of_crash(correlation_id())
        if request.method == "tools/call":
            result = ToolResult("crash", failure=failure)
            return Answer(200, rpc_result(request.id, self._stamped(result.wire(), era)))
        return Answer(200, rpc_error(request.id, INTERNAL_ERROR, failure.text, failure.meta))

    def _failed(self, request: Request, era: Era, failure: Failure) -> Answer:
        if request.method == completions.METHOD:
            # Somebody is typing: an error in the middle of a word helps nobody. The counters know, and so will the
            # call that the form is filled in for.
            nothing = completions.NOTHING.model_dump(mode="json", by_alias=True, exclude_none=True)
            return Answer(200, rpc_result(request.id, self._stamped({"completion": nothing}, era)))
        return Answer(200, rpc_error(request.id, FAILED, failure.text, failure.meta))


def _refused(request: Request, era: Era, code: int, message: str, data: Any) -> Refusal:
    return Refusal(status_of(code, is_modern=era.is_modern), rpc_error(request.id, code, message, data))
