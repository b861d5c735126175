"""The door to tracing: how a process sets it up, and what its code calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from threengram.runtime import logging
from threengram.runtime.access import TraceMiddleware, starlette_route, state_route
from threengram.runtime.settings import ServiceSettings
from threengram.runtime.tracing import (
    OpenSpan,
    current_context,
    current_traceparent,
    export_with,
    span,
    span_for,
    span_from,
    span_within,
)

__all__ = [
    "OpenSpan",
    "Telemetry",
    "TraceMiddleware",
    "configure",
    "current_context",
    "current_traceparent",
    "observed",
    "span",
    "span_for",
    "span_from",
    "span_within",
    "starlette_route",
    "state_route",
]

_TRACES_PATH = "/v1/traces"


@dataclass(frozen=True)
class Telemetry:
    """The process's tracing; `shutdown` sends what is still buffered."""

    provider: TracerProvider | None

    def shutdown(self) -> None:
        """Flush and stop exporting. Blocks for at most the exporter's timeout."""
        export_with(None)
        if self.provider is not None:
            self.provider.shutdown()


def configure(service: str, settings: ServiceSettings, *, exporter: SpanExporter | None = None) -> Telemetry:
    """Set up tracing for this process.

    Spans are recorded only with `otlp_endpoint` (or an explicit exporter) and are then sent in batches; the standard
    `OTEL_TRACES_SAMPLER` variables choose which.
    """
    if exporter is None and settings.otlp_endpoint is not None:
        exporter = OTLPSpanExporter(endpoint=settings.otlp_endpoint.rstrip("/") + _TRACES_PATH)
    if exporter is None:
        export_with(None)
        return Telemetry(None)
    resource = Resource.create({"service.name": f"threengram-{service}", "service.instance.id": settings.instance})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    export_with(provider.get_tracer("threengram"))
    return Telemetry(provider)


@contextmanager
def observed(service: str, settings: ServiceSettings) -> Iterator[None]:
    """Lines and spans of this process for as long as the block runs; its last spans are sent before it ends."""
    logging.configure(service, settings)
    tracing = configure(service, settings)
    try:
        yield
    finally:
        tracing.shutdown()
