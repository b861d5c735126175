"""Spans that hold no content: closed names, allowlisted attributes, W3C trace context in and out.

Without a collector nothing is recorded, but requests, jobs and calls to other processes still get valid ids, so that
log lines and `traceparent` headers of one request belong together across processes.
"""

from collections.abc import Sequence
from contextvars import Token
from types import TracebackType
from typing import Final, Self

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    Tracer,
    get_current_span,
)
from opentelemetry.trace.propagation import set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from threengram.runtime.failures import error_class
from threengram.runtime.fields import OTHER_SPAN, SEMANTIC_NAMES, SPAN_NAMES
from threengram.runtime.logging import admitted

_IDS: Final = RandomIdGenerator()
_UNSAMPLED: Final = TraceFlags(TraceFlags.DEFAULT)
_W3C: Final = TraceContextTextMapPropagator()
_CLIENT_PREFIX: Final = "client."


class _Exporting:
    """The tracer of this process while it exports, else None."""

    tracer: Tracer | None = None


def export_with(tracer: Tracer | None) -> None:
    """Record spans with this tracer from now on; None goes back to ids only."""
    _Exporting.tracer = tracer


def _attributes(fields: dict[str, object]) -> dict[str, str | int | float | bool | list[str]]:
    return {
        SEMANTIC_NAMES.get(name) or f"threengram.{name}": value
        for name, value in admitted("span", fields).items()
        if value is not None
    }


def _child_ids(parent: SpanContext) -> NonRecordingSpan:
    trace_id, flags = (
        (parent.trace_id, parent.trace_flags) if parent.is_valid else (_IDS.generate_trace_id(), _UNSAMPLED)
    )
    return NonRecordingSpan(
        SpanContext(
            trace_id, _IDS.generate_span_id(), is_remote=False, trace_flags=flags, trace_state=parent.trace_state
        )
    )


class OpenSpan:
    """A context manager around one span. `set` adds attributes while it is open.

    An exception that passes through marks the span as failed with `error.type`, never with its message. A span whose
    parent is of another trace than the span around it is linked to that one, so that neither trace is a dead end.
    """

    __slots__ = ("_fields", "_kind", "_links", "_name", "_parent", "_span", "_token")

    def __init__(
        self,
        name: str,
        fields: dict[str, object],
        parent: Context | None,
        kind: SpanKind,
        links: Sequence[SpanContext] = (),
    ) -> None:
        self._name = name
        self._fields = fields
        self._parent = parent
        self._kind = kind
        self._links = links
        self._span: Span = NonRecordingSpan(SpanContext(0, 0, is_remote=False))
        self._token: Token[Context] | None = None

    def __enter__(self) -> Self:
        """Start the span and make it the current one."""
        tracer = _Exporting.tracer
        if tracer is None:
            around = get_current_span(self._parent)
            context = around.get_span_context()
            if self._kind is SpanKind.INTERNAL and context.is_valid:
                # Nobody would ever see its id, so it has none, and nothing to make current.
                self._span = around
                return self
            self._span = _child_ids(context)
        else:
            self._span = tracer.start_span(
                self._name,
                self._parent,
                self._kind,
                _attributes(self._fields),
                [Link(context) for context in (*self._links, *self._around())],
                record_exception=False,
                set_status_on_exception=False,
            )
        self._token = otel_context.attach(set_span_in_context(self._span, self._parent))
        return self

    def _around(self) -> list[SpanContext]:
        if self._parent is None:
            return []
        around, parent = current_context(), get_current_span(self._parent).get_span_context()
        return [around] if around.is_valid and around.trace_id != parent.trace_id else []

    def set(self, **attributes: object) -> None:
        """Add allowlisted attributes."""
        if self._span.is_recording():
            self._span.set_attributes(_attributes(attributes))

    def rename(self, name: str) -> None:
        """Give the span another closed name, once it is known what it is."""
        if self._span.is_recording():
            self._span.update_name(name)

    def fail(self, kind: str) -> None:
        """Mark the span as failed with a class name or code."""
        if self._span.is_recording():
            self._span.set_attribute("error.type", kind)
            self._span.set_status(Status(StatusCode.ERROR))

    @property
    def trace_id(self) -> str:
        """Trace id as 32 hexadecimal digits."""
        return f"{self._span.get_span_context().trace_id:032x}"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the span and restore the one before it."""
        if error is not None:
            self.fail(error_class(error))
        if self._token is not None:
            otel_context.detach(self._token)
        self._span.end()


def span(name: str, **attributes: object) -> OpenSpan:
    """A child of the current span. Names outside the closed set of `fields.SPAN_NAMES` become `other`."""
    kind = SpanKind.CLIENT if name.startswith(_CLIENT_PREFIX) else SpanKind.INTERNAL
    return OpenSpan(name if name in SPAN_NAMES else OTHER_SPAN, attributes, None, kind)


def remote_parent(traceparent: str | None, tracestate: str | None = None) -> Context:
    """The context that a W3C `traceparent` describes; an empty one when it is missing or malformed."""
    if traceparent is None:
        return Context()
    carrier = {"traceparent": traceparent}
    if tracestate is not None:
        carrier["tracestate"] = tracestate
    return _W3C.extract(carrier, Context())


def span_from(traceparent: str | None, name: str, **attributes: object) -> OpenSpan:
    """A span under a stored or received `traceparent`, such as a job row's; the root of a new trace without one."""
    safe_name = name if name in SPAN_NAMES else OTHER_SPAN
    return OpenSpan(safe_name, attributes, remote_parent(traceparent), SpanKind.CONSUMER)


def span_within(traceparent: str | None, tracestate: str | None, name: str, **attributes: object) -> OpenSpan:
    """A span of one message inside the current span of the request that carries it.

    Its parent is what the message itself names as its trace context, unless that is missing, malformed, or of the
    request's own trace, which then has the better place for it.
    """
    parent = remote_parent(traceparent, tracestate)
    named = get_current_span(parent).get_span_context()
    if not named.is_valid or named.trace_id == current_context().trace_id:
        return span(name, **attributes)
    return OpenSpan(name if name in SPAN_NAMES else OTHER_SPAN, attributes, parent, SpanKind.SERVER)


def span_for(requests: Sequence[SpanContext], name: str, **attributes: object) -> OpenSpan:
    """A span of work that is done once for several requests: a child of the first, with a link to each."""
    parent = set_span_in_context(NonRecordingSpan(requests[0]), Context())
    safe_name = name if name in SPAN_NAMES else OTHER_SPAN
    return OpenSpan(safe_name, attributes, parent, SpanKind.INTERNAL, requests)


def current_context() -> SpanContext:
    """Where this code stands in its trace; not valid outside any span."""
    return get_current_span().get_span_context()


def current_traceparent() -> str | None:
    """The W3C `traceparent` of the current span, or None outside any."""
    context = current_context()
    if not context.is_valid:
        return None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
