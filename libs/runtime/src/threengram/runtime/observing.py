"""How a library's work shows in this process: its spans, its statements and its pool, through the allowlist."""

import asyncio
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final

from prometheus_client import Counter

from threengram.runtime import metrics
from threengram.runtime.tracing import OpenSpan, current_traceparent, span, span_from

# What core counts, with the values that each label may have.
_EVENTS: Final[Mapping[str, tuple[Counter, Mapping[str, frozenset[str]]]]] = {
    "guard_violation": (metrics.GUARD_VIOLATIONS, {}),
    "search": (metrics.SEARCHES, {"vector": metrics.SEARCH_VECTORS, "confident": metrics.CONFIDENCES}),
    "memory_written": (
        metrics.MEMORIES_WRITTEN,
        {
            "verb": metrics.WRITING_VERBS,
            "memory_type": metrics.MEMORY_TYPES,
            "embedded": metrics.EMBEDDED_STATES,
        },
    ),
    "proposal": (metrics.PROPOSALS, {"kind": metrics.PROPOSAL_KINDS, "outcome": metrics.PROPOSAL_OUTCOMES}),
}
_SEARCH: Final = "search."


class TelemetryObserver:
    """Spans on the process's tracing, some of which are timed too, and counters. It has the shape of core's `Observer`.

    Statement names come from code, so their set is closed; other label values are held to theirs.
    """

    def span(self, name: str, **attributes: str | int | float | bool) -> "_Timed":
        """A span around the block: under the stored trace context in `traceparent`, or else under the current span."""
        traceparent = str(attributes.pop("traceparent", ""))
        opened = span_from(traceparent, name, **attributes) if traceparent else span(name, **attributes)
        return _Timed(opened, name, attributes)

    def traceparent(self) -> str | None:
        """The W3C trace context of the running span."""
        return current_traceparent()

    def count(self, event: str, amount: int = 1, **labels: str) -> None:
        """So many more; raises `KeyError` for an event or a label that is not declared here."""
        counter, allowed = _EVENTS[event]
        values = {name: metrics.closed(labels[name], known) for name, known in allowed.items()}
        (counter.labels(**values) if values else counter).inc(amount)


class _Timed:
    """A span that is observed by the histogram of its name, if it has one."""

    __slots__ = ("_attributes", "_name", "_opened", "_started")

    def __init__(self, opened: OpenSpan, name: str, attributes: Mapping[str, object]) -> None:
        self._opened = opened
        self._name = name
        self._attributes = attributes

    def __enter__(self) -> None:
        self._started = time.perf_counter()
        self._opened.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened.__exit__(kind, error, traceback)
        outcome = "ok"
        if kind is not None:
            outcome = "cancelled" if issubclass(kind, asyncio.CancelledError) else "failed"
        _time(self._name, self._attributes, outcome, time.perf_counter() - self._started)


def _time(name: str, attributes: Mapping[str, object], outcome: str, elapsed_s: float) -> None:
    if name == "db.query":
        metrics.DB_STATEMENT_DURATION.labels(str(attributes.get("statement", ""))).observe(elapsed_s)
    elif name == "db.connect":
        if outcome == "ok":
            metrics.DB_POOL_WAIT.observe(elapsed_s)
    elif name == "client.embed":
        priority = metrics.closed(str(attributes.get("priority")), metrics.EMBEDDING_PRIORITIES)
        metrics.EMBED_CALL_DURATION.labels(priority, outcome).observe(elapsed_s)
    elif name.startswith(_SEARCH):
        leg = metrics.closed(name.removeprefix(_SEARCH), metrics.SEARCH_LEGS)
        metrics.SEARCH_LEG_DURATION.labels(leg).observe(elapsed_s)


def traceparent_header() -> Mapping[str, str]:
    """The header that lets a called service continue the trace; none outside any span."""
    traceparent = current_traceparent()
    return {} if traceparent is None else {"traceparent": traceparent}


def observe_pool(stats: Callable[[], Mapping[str, int]]) -> None:
    """Publish a connection pool's figures; `stats` is its `get_stats`, read at every scrape."""

    def figure(name: str) -> float:
        return stats().get(name, 0)

    metrics.DB_POOL_CONNECTIONS.labels("idle").set_function(lambda: figure("pool_available"))
    metrics.DB_POOL_CONNECTIONS.labels("used").set_function(lambda: figure("pool_size") - figure("pool_available"))
    metrics.DB_POOL_WAITING.set_function(lambda: figure("requests_waiting"))
    metrics.DB_POOL_LIMIT.set_function(lambda: figure("pool_max"))
