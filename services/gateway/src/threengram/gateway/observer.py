"""How core's work shows in this process's traces."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from threengram.runtime.telemetry import current_traceparent, span


class RuntimeObserver:
    """Core's `Observer` on the process's tracing."""

    @contextmanager
    def span(self, name: str, **attributes: str | int | float | bool) -> Iterator[None]:
        """A child of the current span; names and attributes go through the allowlist."""
        with span(name, **attributes):
            yield

    def traceparent(self) -> str | None:
        """The W3C trace context of the running span."""
        return current_traceparent()


def traceparent_header() -> Mapping[str, str]:
    """The header that lets a called service continue the trace."""
    traceparent = current_traceparent()
    return {} if traceparent is None else {"traceparent": traceparent}
