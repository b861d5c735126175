"""Nothing that a user wrote leaves a process: a canary is pushed through every door, then looked for at every exit."""

from pathlib import Path

import httpx2
import pytest

from tests.integration.runtime.collector import Collector
from tests.integration.runtime.probe_service import CANARY
from tests.integration.runtime.processes import Service, listening, probe
from tests.waiting import wait_until

SECRET_PATH_PART = "0198c5e8-aaaa-7000-8000-00000000cafe"


@pytest.fixture
def exits(tmp_path: Path) -> dict[str, str]:
    """What left the process through each exit, after the canary went in through each door."""
    with Collector() as otlp, listening() as listener:
        with probe(tmp_path, listener, otlp_endpoint=otlp.url, log_level="DEBUG") as running:
            wait_until(running.is_ready)
            params = {"q": CANARY}
            for path in (f"/leak/{SECRET_PATH_PART}", "/crash", f"/unknown/{SECRET_PATH_PART}"):
                httpx2.get(running.url + path, params=params, headers={"x-canary": CANARY}, timeout=60, trust_env=False)
            metrics = httpx2.get(f"{running.admin_url}/metrics", timeout=60, trust_env=False).text
            running.process.terminate()
            assert running.ended() == 0
        return {"log": running.output, "metrics": metrics, "spans": otlp.text} | _events(running)


def _events(running: Service) -> dict[str, str]:
    return {"events": ",".join(f"{line['logger']}:{line['event']}" for line in running.lines)}


def test_the_canary_reaches_no_exit(exits: dict[str, str]) -> None:
    for text in exits.values():
        assert "canary" not in text.lower()
        assert "launch code" not in text
        assert SECRET_PATH_PART not in text


def test_what_may_leave_does_leave(exits: dict[str, str]) -> None:
    events = exits["events"].split(",")
    for expected in (
        "some.library:library_message",
        "threengram.probe:probe_failed",
        "threengram.probe:probe_logged",
        "py.warnings:library_message",
        "threengram.runtime.logging:thread_failed",
        "asyncio:library_message",
        "threengram.runtime.access:request_failed",
        "threengram.runtime.access:request_served",
    ):
        assert expected in events

    assert '"route":"/leak/{item_id}"' in exits["log"]
    assert '"content_chars":36' in exits["log"]
    for refused in ('sink="log"', 'sink="span"'):
        assert f'threengram_telemetry_dropped_fields_total{{reason="name",{refused}}}' in exits["metrics"]
        assert f'threengram_telemetry_dropped_fields_total{{reason="value",{refused}}}' in exits["metrics"]
    assert 'route="/leak/{item_id}",status_class="2xx"' in exits["metrics"]
    assert 'route="other",status_class="4xx"' in exits["metrics"]
    for sent in (
        "threengram-runtime",
        "GET /leak/{item_id}",
        "search.page",
        "threengram.hits",
        "error.type",
        "KeyError",
    ):
        assert sent in exits["spans"]


def test_a_crash_is_answered_with_a_fixed_text_and_a_correlation_id_that_the_log_knows(tmp_path: Path) -> None:
    with listening() as listener, probe(tmp_path, listener) as running:
        wait_until(running.is_ready)
        answer = httpx2.get(f"{running.url}/crash", timeout=60, trust_env=False)
        wait_until(lambda: bool(running.events("request_served")))

    (failed,) = running.events("request_failed")
    (served,) = running.events("request_served")
    assert answer.status_code == 500
    assert answer.json() == {"error": "internal_error", "detail": f"Correlation id {failed['correlation_id']}."}
    assert failed["correlation_id"] == failed["trace_id"] == served["trace_id"]
    assert failed["error_class"] == "LookupError"
    assert failed["frames"][-1].startswith("probe_service.py:")
    assert failed["frames"][-1].endswith(":crash")
    assert (served["status"], served["route"], served["method"]) == (500, "/crash", "GET")
