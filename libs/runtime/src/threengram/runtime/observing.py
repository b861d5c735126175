"""How a library's work shows in this process: its spans, its statements and its pool, through the allowlist."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from prometheus_client import Histogram

from threengram.runtime.metrics import DB_POOL_CONNECTIONS, DB_POOL_LIMIT, DB_POOL_WAITING, REGISTRY
from threengram.runtime.tracing import current_traceparent, span, span_from

_STATEMENT_SPAN: Final = "db.query"

DB_STATEMENT_DURATION = Histogram(
    "threengram_db_statement_duration_seconds",
    "Time of one round trip to the database, named by its first statement; the wait for a connection is part of it.",
    ("statement",),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0),
    registry=REGISTRY,
)


class TelemetryObserver:
    """Spans on the process's tracing; those named `db.query` are timed by their `statement` too.

    It has the shape of core's `Observer`. Statement names come from code, so their set is closed.
    """

    @contextmanager
    def span(self, name: str, **attributes: str | int | float | bool) -> Iterator[None]:
        """A span around the block: under the stored trace context in `traceparent`, or else under the current span."""
        traceparent = str(attributes.pop("traceparent", ""))
        opened = span_from(traceparent, name, **attributes) if traceparent else span(name, **attributes)
        started = time.perf_counter()
        try:
            with opened:
                yield
        finally:
            if name == _STATEMENT_SPAN:
                statement = str(attributes.get("statement", ""))
                DB_STATEMENT_DURATION.labels(statement).observe(time.perf_counter() - started)

    def traceparent(self) -> str | None:
        """The W3C trace context of the running span."""
        return current_traceparent()


def traceparent_header() -> Mapping[str, str]:
    """The header that lets a called service continue the trace; none outside any span."""
    traceparent = current_traceparent()
    return {} if traceparent is None else {"traceparent": traceparent}


def observe_pool(stats: Callable[[], Mapping[str, int]]) -> None:
    """Publish a connection pool's figures; `stats` is its `get_stats`, read at every scrape."""

    def figure(name: str) -> float:
        return stats().get(name, 0)

    DB_POOL_CONNECTIONS.labels("idle").set_function(lambda: figure("pool_available"))
    DB_POOL_CONNECTIONS.labels("used").set_function(lambda: figure("pool_size") - figure("pool_available"))
    DB_POOL_WAITING.set_function(lambda: figure("requests_waiting"))
    DB_POOL_LIMIT.set_function(lambda: figure("pool_max"))
