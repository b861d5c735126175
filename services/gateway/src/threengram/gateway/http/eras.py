"""Which era a message belongs to, decided by its body first.

A message that carries the 2026-07-28 envelope, or comes with a version header that no handshake revision has, is
modern; everything else belongs to the revisions that begin with `initialize`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as t
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.types import Scope

from threengram.gateway.http.messages import INVALID_PARAMS, Request
from threengram.gateway.http.replies import rpc_error

OLDEST_VERSION = "2024-10-07"
"""Known to clients and not to the SDK; on the wire it is 2024-11-05."""
_WIRE_ALIAS = {OLDEST_VERSION: "2024-11-05"}
BATCH_VERSIONS = frozenset({"2024-11-05", "2025-03-26"})
"""Revisions with JSON-RPC batches; 2025-06-18 removed them."""
_ROUTING = {name.encode(): name for name in (MCP_PROTOCOL_VERSION_HEADER, MCP_METHOD_HEADER, MCP_NAME_HEADER)}


@dataclass(frozen=True, slots=True)
class Era:
    """The revision that a message is answered in, and what its envelope says about the client."""

    version: str
    is_modern: bool = False
    client_info: Any = None
    client_capabilities: Any = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served: an HTTP status and a JSON-RPC error."""

    status: int
    body: bytes


class RoutingHeaders:
    """The three headers that mirror a body, by lower-case name, and a version that decides the era."""

    def __init__(self, scope: Scope) -> None:
        lines = [(_ROUTING[name], value.decode("latin-1")) for name, value in scope["headers"] if name in _ROUTING]
        self.values: Mapping[str, str] = dict(reversed(lines))
        self.duplicated = find_duplicated_routing_header(lines)
        claimed = self.values.get(MCP_PROTOCOL_VERSION_HEADER, t.DEFAULT_NEGOTIATED_VERSION)
        self.version = _WIRE_ALIAS.get(claimed, claimed)

    @property
    def names_handshake_version(self) -> bool:
        """Whether the header, or its absence, stands for a revision with a handshake."""
        return self.version in HANDSHAKE_PROTOCOL_VERSIONS


def carries_envelope(params: Mapping[str, Any] | None) -> bool:
    """Whether `params._meta` claims a protocol version, which only modern messages do."""
    meta = params.get("_meta") if params else None
    return isinstance(meta, dict) and t.PROTOCOL_VERSION_META_KEY in meta


def era_of(request: Request, headers: RoutingHeaders) -> Era | Refusal:
    """The era, or the refusal of a body that its headers contradict or whose version is not served."""
    is_handshake = headers.names_handshake_version
    if is_handshake and (request.method == "initialize" or not carries_envelope(request.params)):
        return Era(headers.version)
    if headers.duplicated is not None:
        message = f"{headers.duplicated} header appears more than once"
        return Refusal(400, rpc_error(request.id, t.HEADER_MISMATCH, message))
    route = classify_inbound_request(request.body, headers=headers.values)
    if isinstance(route, InboundLadderRejection):
        body = rpc_error(request.id, route.code, route.message, route.data)
        return Refusal(status_of(route.code, is_modern=True), body)
    return Era(route.protocol_version, True, route.client_info, route.client_capabilities)


def serves_notices(headers: RoutingHeaders) -> bool:
    """Whether a message without an id is taken: its version header must name a revision that is served."""
    return headers.names_handshake_version or headers.version in MODERN_PROTOCOL_VERSIONS


def status_of(code: int, *, is_modern: bool) -> int:
    """The HTTP status of an error found in the envelope; handshake revisions answer 200."""
    return ERROR_CODE_HTTP_STATUS.get(code, 200) if is_modern else 200


def status_of_handler_error(code: int, *, is_modern: bool) -> int:
    """The HTTP status of an error that a handler raised: a name that is unknown is no malformed request."""
    return 200 if code == INVALID_PARAMS else status_of(code, is_modern=is_modern)
