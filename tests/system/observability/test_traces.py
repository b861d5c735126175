"""One `remember` followed through every process, as an OTLP collector sees it."""

from dataclasses import dataclass

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.integration.runtime.collector import Collector
from tests.processes.test_up import rpc
from tests.system.observability.conftest import Observed
from tests.waiting import wait_until

TRACE_ID = "5b8aa5a2d2c872e8321cf37308d69df2"
CALLER_SPAN = "051581bf3cb55c13"
WINDOWS = " A sentence that takes its place among the others of a long text." * 25


@dataclass(frozen=True)
class Span:
    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    links: tuple[str, ...]


def spans(collected: Collector) -> list[Span]:
    found = []
    for body, headers in zip(list(collected.bodies), list(collected.headers), strict=False):
        if "x-protobuf" not in headers.get("content-type", ""):
            continue
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = {item.key: item.value.string_value for item in resource.resource.attributes}
            found += [
                Span(
                    names["service.name"].removeprefix("threengram-"),
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    tuple(link.trace_id.hex() for link in span.links),
                )
                for scope in resource.scope_spans
                for span in scope.spans
            ]
    return found


def test_one_trace_holds_a_remember_from_the_message_to_the_vectors_that_a_worker_stored(observed: Observed) -> None:
    record = observed.stack.record
    arguments = {"memoryType": "note", "topic": "followed", "content": "The first sentence." + WINDOWS}
    params = {
        "name": "remember",
        "arguments": arguments,
        "_meta": {"traceparent": f"00-{TRACE_ID}-{CALLER_SPAN}-01"},
    }
    answer = rpc(record["mcpUrl"], record["token"], "tools/call", params).json()
    assert answer["result"]["structuredContent"]["embedded"] == "pending"

    def ours() -> list[Span]:
        return [span for span in spans(observed.collected) if span.trace_id == TRACE_ID]

    def is_whole() -> bool:
        """Processes export on their own; the worker's job ends after the batch that it waited for."""
        names = [span.name for span in ours()]
        return {"mcp.tools_call", "job.embed"} <= set(names) and names.count("embedder.batch") >= 2

    wait_until(is_whole)
    found = ours()
    named = {(span.service, span.name): span for span in found}

    call = named["gateway", "mcp.tools_call"]
    assert call.parent_id == CALLER_SPAN
    (request_trace,) = call.links
    assert request_trace != TRACE_ID
    by_id = {span.span_id: span for span in found}

    def above(span: Span) -> list[str]:
        names = []
        while span.parent_id in by_id:
            span = by_id[span.parent_id]
            names.append(f"{span.service} {span.name}")
        return names

    # Every span of the trace hangs below the call: nothing is a root of its own.
    assert all(span is call or above(span)[-1] == "gateway mcp.tools_call" for span in found)
    embeddings = [span for span in found if span.name == "embedder.batch"]
    assert {above(span)[-2] for span in embeddings} == {"gateway client.embed", "worker job.embed"}
    assert all(TRACE_ID in span.links for span in embeddings)
    assert {span.service for span in found if span.name == "db.query"} == {"gateway", "worker"}
    job = named["worker", "job.embed"]
    assert above(job) == ["gateway mcp.tools_call"]

    # The job is linked to the task that found its row, which hangs below beat's ring, in a trace of its own.
    (task_trace,) = job.links

    def others() -> set[tuple[str, str]]:
        return {(span.service, span.name) for span in spans(observed.collected) if span.trace_id == task_trace}

    wait_until(lambda: {("worker", "job.run"), ("beat", "job.ring")} <= others())
