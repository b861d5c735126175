"""How spans of different traces stay connected."""

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from threengram.runtime import telemetry
from threengram.runtime.tracing import export_with

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
NAMED = f"00-{TRACE_ID}-b7ad6b7169203331-01"


class Exported:
    """Spans by name, once they have ended."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    def __getitem__(self, name: str) -> ReadableSpan:
        (found,) = [span for span in self._exporter.get_finished_spans() if span.name == name]
        return found


@pytest.fixture
def exported() -> Iterator[Exported]:
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    export_with(provider.get_tracer("test"))
    yield Exported(exporter)
    export_with(None)


def links(span: ReadableSpan) -> list[str]:
    return [f"{link.context.span_id:016x}" for link in span.links]


def own_id(span: ReadableSpan) -> str:
    return f"{span.context.span_id:016x}"


def trace_of(span: ReadableSpan) -> str:
    return f"{span.context.trace_id:032x}"


def test_a_message_continues_the_trace_it_names_and_is_linked_to_the_request_that_carries_it(
    exported: Exported,
) -> None:
    with telemetry.span("client.http"), telemetry.span_within(NAMED, None, "mcp.tools_call"):
        pass
    assert trace_of(exported["mcp.tools_call"]) == TRACE_ID
    assert trace_of(exported["client.http"]) != TRACE_ID
    assert links(exported["mcp.tools_call"]) == [own_id(exported["client.http"])]


@pytest.mark.parametrize("named", [None, "canary", "00-00000000000000000000000000000000-b7ad6b7169203331-01"])
def test_a_message_that_names_no_trace_belongs_to_its_request(exported: Exported, named: str | None) -> None:
    with telemetry.span("client.http"), telemetry.span_within(named, None, "mcp.tools_call"):
        pass
    assert trace_of(exported["mcp.tools_call"]) == trace_of(exported["client.http"])
    assert links(exported["mcp.tools_call"]) == []


def test_a_message_of_its_requests_own_trace_stays_below_the_request(exported: Exported) -> None:
    with telemetry.span_from(NAMED, "client.http"), telemetry.span_within(NAMED, None, "mcp.tools_call"):
        pass
    parent = exported["mcp.tools_call"].parent
    assert parent is not None
    assert f"{parent.span_id:016x}" == own_id(exported["client.http"])


def test_work_done_once_for_several_requests_is_a_child_of_the_first_and_linked_to_all(exported: Exported) -> None:
    waiting = []
    for name in ("client.embed", "client.http"):
        with telemetry.span(name):
            waiting.append(telemetry.current_context())
    with telemetry.span_for(waiting, "embedder.batch", windows=2):
        pass
    batch = exported["embedder.batch"]
    assert trace_of(batch) == trace_of(exported["client.embed"])
    assert links(batch) == [own_id(exported["client.embed"]), own_id(exported["client.http"])]


def test_a_job_under_its_rows_trace_is_linked_to_the_task_that_found_it(exported: Exported) -> None:
    with telemetry.span("job.run"), telemetry.span_from(NAMED, "job.embed"):
        pass
    assert trace_of(exported["job.embed"]) == TRACE_ID
    assert links(exported["job.embed"]) == [own_id(exported["job.run"])]
