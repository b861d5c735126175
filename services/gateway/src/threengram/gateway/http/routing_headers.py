"""`Mcp-Method` and `Mcp-Name` reduced to closed allowlists, for telemetry and nothing else.

Clients choose these headers, so no decision reads them; the endpoint cross-checks them against the body.
"""

from collections.abc import Collection
from dataclasses import dataclass

from starlette.types import Scope

from threengram.runtime.metrics import MCP_METHODS, OTHER, closed

TOOL_METHOD = "tools/call"


@dataclass(frozen=True, slots=True)
class Labels:
    """Closed labels: a method of the protocol or `other`, and a published tool, `other`, or nothing."""

    method: str
    tool: str = ""


def labels_of(method: str | None, name: object, tools: Collection[str]) -> Labels:
    """The labels of a message. Only `tools/call` has a tool."""
    label = closed(method, MCP_METHODS) or OTHER
    if label != TOOL_METHOD:
        return Labels(label)
    return Labels(label, name if isinstance(name, str) and name in tools else OTHER)


def header_labels(scope: Scope, tools: Collection[str]) -> Labels:
    """The labels that a request claims before its body is read."""
    method = name = None
    for key, value in scope["headers"]:
        if key == b"mcp-method":
            method = value.decode("latin-1").strip()
        elif key == b"mcp-name":
            name = value.decode("latin-1").strip()
    return labels_of(method, name, tools)
