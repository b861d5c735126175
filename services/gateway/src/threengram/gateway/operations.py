"""MCP operations as telemetry sees them: closed labels, one span and one observation each."""

import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from threengram.core.errors import Denied, Error, Unavailable
from threengram.gateway.http.routing_headers import Labels
from threengram.runtime.metrics import MCP_OPERATION_DURATION
from threengram.runtime.telemetry import OpenSpan, current_traceparent, span_within

_SPANS = {
    "tools/call": "mcp.tools_call",
    "tools/list": "mcp.tools_list",
    "resources/read": "mcp.resources_read",
    "resources/list": "mcp.resources_list",
    "prompts/get": "mcp.prompts_get",
    "prompts/list": "mcp.prompts_list",
    "completion/complete": "mcp.completion",
    "initialize": "mcp.initialize",
    "server/discover": "mcp.discover",
}


def count(labels: Labels, outcome: str, elapsed_s: float = 0.0) -> None:
    """One observation of an operation; `outcome` is of a closed set: `ok`, `tool_error`, `protocol_error`, `denied`,
    `rate_limited`, `unavailable`, `timeout`, `crash`.
    """
    MCP_OPERATION_DURATION.labels(labels.method, labels.tool, outcome).observe(elapsed_s)


def outcome_of(error: Error, otherwise: str) -> str:
    """How a foreseen error counts: what a dependency's failure caused is never the caller's mistake."""
    if isinstance(error, Unavailable):
        return "unavailable"
    return "denied" if isinstance(error, Denied) else otherwise


def correlation_id() -> str:
    """What links an answer to the log: the trace id, which every log line of an operation carries."""
    traceparent = current_traceparent()
    return "unknown" if traceparent is None else traceparent.split("-")[1]


class Operation:
    """One answered message. Its `outcome` is counted when it ends; `crash` unless somebody says otherwise.

    `meta` is the message's `_meta`, whose W3C trace context (`traceparent`, `tracestate`) the span continues.
    """

    __slots__ = ("_labels", "_span", "_started", "outcome")

    def __init__(self, labels: Labels, version: str, meta: Mapping[str, Any] | None = None) -> None:
        self._labels = labels
        self._span: OpenSpan = span_within(
            _text(meta, "traceparent"),
            _text(meta, "tracestate"),
            _SPANS.get(labels.method, "mcp.other"),
            operation=labels.method,
            tool=labels.tool or None,
            protocol_version=version,
        )
        self._started = time.perf_counter()
        self.outcome = "crash"

    def end(self, outcome: str, error_code: str | None = None) -> None:
        """Say how it ended."""
        self.outcome = outcome
        if error_code is not None:
            self._span.set(error_code=error_code)

    def __enter__(self) -> Self:
        """Start the span."""
        self._span.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Count the outcome and end the span."""
        self._span.set(outcome=self.outcome)
        count(self._labels, self.outcome, time.perf_counter() - self._started)
        self._span.__exit__(kind, error, traceback)


def _text(meta: Mapping[str, Any] | None, key: str) -> str | None:
    value = meta.get(key) if isinstance(meta, dict) else None
    return value if isinstance(value, str) else None
