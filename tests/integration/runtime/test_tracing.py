"""Trace context across processes."""

from pathlib import Path

import httpx2
import pytest

from tests.integration.runtime.collector import Collector
from tests.integration.runtime.processes import listening, probe
from tests.waiting import wait_until
from threengram.runtime import telemetry

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
PARENT_ID = "b7ad6b7169203331"


@pytest.mark.parametrize("exports", [False, True])
def test_one_trace_id_spans_the_caller_the_log_and_the_peer(tmp_path: Path, exports: bool) -> None:
    with Collector() as peer, Collector() as otlp, listening() as listener:
        variables = {"otlp_endpoint": otlp.url} if exports else {}
        with probe(tmp_path, listener, peer_url=peer.url, **variables) as running:
            wait_until(running.is_ready)
            headers = {"traceparent": f"00-{TRACE_ID}-{PARENT_ID}-01"}
            httpx2.get(f"{running.url}/relay", headers=headers, timeout=60, trust_env=False).raise_for_status()
            running.process.terminate()
            assert running.ended() == 0

    version, trace_id, span_id, flags = peer.headers[0]["traceparent"].split("-")
    (served,) = running.events("request_served")
    assert (version, trace_id, flags) == ("00", TRACE_ID, "01")
    assert served["trace_id"] == TRACE_ID
    assert len({PARENT_ID, served["span_id"], span_id, "0" * 16}) == 4
    assert bool(otlp.bodies) == exports


@pytest.mark.parametrize("traceparent", [None, "canary", "00-00000000000000000000000000000000-b7ad6b7169203331-01"])
def test_a_missing_or_malformed_parent_starts_a_new_trace(traceparent: str | None) -> None:
    with telemetry.span_from(traceparent, "job.embed"):
        header = telemetry.current_traceparent()

    assert header is not None
    _, trace_id, span_id, _ = header.split("-")
    assert int(trace_id, 16)
    assert int(span_id, 16)
    assert telemetry.current_traceparent() is None


def test_a_stored_parent_continues_its_trace_and_nested_spans_share_it() -> None:
    stored = f"00-{TRACE_ID}-{PARENT_ID}-00"
    with telemetry.span_from(stored, "job.embed") as outer, telemetry.span("client.embed", texts=3) as inner:
        assert outer.trace_id == inner.trace_id == TRACE_ID
        assert telemetry.current_traceparent() != stored
