"""The gateway as a process: it opens its connections, tells how it is, serves, keeps secrets, and ends cleanly."""

import base64
import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.contract.mcp.stack import modern_body, modern_headers
from tests.embedder import PATIENT
from tests.integration.runtime.collector import Collector
from tests.integration.runtime.processes import Service, listening, service
from tests.people import AUDIENCE, ISSUER, Person, a_person, in_database
from tests.servers import free_port
from tests.waiting import wait_until

CANARY = "c4n4ry"
PREFIX = "THREENGRAM_GATEWAY_"


@contextlib.contextmanager
def _gateway(directory: Path, **variables: str) -> Iterator[Service]:
    settings = {
        "public_url": AUDIENCE.removesuffix("/mcp"),
        "issuer_url": ISSUER,
        "cursor_key": base64.urlsafe_b64encode(b"k" * 32).decode(),
        "instance": "gateway-0",
        **PATIENT,
        **variables,
    }
    with (
        listening() as listener,
        service(("-m", "threengram.gateway"), PREFIX, directory, listener, **settings) as running,
    ):
        yield running


@pytest.fixture
def person(database_url: str) -> Person:
    """Somebody whose token is good now, by the clock of a process of its own."""
    return in_database(database_url, lambda database: a_person(database, now=datetime.now(UTC)))


def _call(running: Service, token: str, tool: str, arguments: dict[str, Any]) -> httpx2.Response:
    params = {"name": tool, "arguments": arguments}
    headers = {"authorization": f"Bearer {token}", **modern_headers("tools/call", params)}
    body = modern_body("tools/call", params)
    return httpx2.post(f"{running.url}/mcp", json=body, headers=headers, timeout=60, trust_env=False)


def _ready(running: Service) -> tuple[int, dict[str, Any]]:
    response = httpx2.get(f"{running.admin_url}/readyz", timeout=60, trust_env=False)
    return response.status_code, response.json()


def test_a_process_serves_and_ends_when_it_is_told(
    tmp_path: Path, database_url: str, redis_url: str, hash_embedder_url: str, person: Person
) -> None:
    with _gateway(tmp_path, database_url=database_url, redis_url=redis_url, embedder_url=hash_embedder_url) as running:
        wait_until(running.is_ready)
        arguments = {"memoryType": "note", "topic": "Process", "content": "A process of its own keeps this."}
        written = _call(running, person.token, "remember", arguments).json()["result"]
        found = _call(running, person.token, "search", {"query": "what does the process keep?"}).json()["result"]
        report = _ready(running)
        running.process.terminate()
        code = running.ended()

    assert written["structuredContent"]["embedded"] == "done"
    assert [hit["topic"] for hit in found["structuredContent"]["hits"]] == ["Process"]
    assert found["structuredContent"]["coverage"]["vector"] == "used"
    assert report == (200, {"status": "ready"})
    assert code == 0


def test_without_embedder_it_is_degraded_and_search_is_lexical(
    tmp_path: Path, database_url: str, redis_url: str, person: Person
) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    with _gateway(tmp_path, database_url=database_url, redis_url=redis_url, embedder_url=nobody) as running:
        wait_until(running.is_ready)
        status, report = _ready(running)
        arguments = {"memoryType": "note", "topic": "Words", "content": "Lexical search needs no vectors."}
        written = _call(running, person.token, "remember", arguments).json()["result"]["structuredContent"]
        found = _call(running, person.token, "search", {"query": "lexical vectors"}).json()["result"]

    assert status == 200
    assert set(report["degraded"]) == {"embedder"}
    assert written["embedded"] == "pending"
    assert found["structuredContent"]["coverage"]["vector"] == "unavailable"
    assert len(found["structuredContent"]["hits"]) == 1


def test_the_token_of_a_caller_goes_no_further(
    tmp_path: Path, database_url: str, redis_url: str, person: Person
) -> None:
    note = {"memoryType": "note", "topic": "Token", "content": "A token is for this resource only."}
    with (
        Collector() as embedder,
        _gateway(tmp_path, database_url=database_url, redis_url=redis_url, embedder_url=embedder.url) as running,
    ):
        wait_until(running.is_ready)
        written = _call(running, person.token, "remember", note).json()["result"]["structuredContent"]
        _call(running, person.token, "search", {"query": "token"})

    assert written["embedded"] == "pending"
    assert len([body for body in embedder.bodies if body]) >= 2
    assert not [headers for headers in embedder.headers if "authorization" in headers]
    assert person.token not in embedder.text


def test_without_counters_it_is_not_ready_but_memory_stays_reachable(
    tmp_path: Path, database_url: str, person: Person
) -> None:
    nobody = f"redis://127.0.0.1:{free_port()}/0"
    with _gateway(tmp_path, database_url=database_url, redis_url=nobody) as running:
        wait_until(lambda: bool(running.events("process_started")))
        status, report = _ready(running)
        answer = _call(running, person.token, "search", {"query": "anything"})

    assert (status, set(report["failing"])) == (503, {"limiter"})
    assert answer.status_code == 200


def test_a_role_that_sees_past_row_security_is_refused_at_start(tmp_path: Path, owner_url: str, redis_url: str) -> None:
    with _gateway(tmp_path, database_url=owner_url, redis_url=redis_url) as running:
        code = running.ended()
        output = running.output

    assert code == 3
    assert "GuardViolation" in output


@pytest.fixture
def exits(tmp_path: Path, database_url: str, redis_url: str, hash_embedder_url: str, person: Person) -> dict[str, str]:
    """What left the process through each exit, after the canary went in through each door."""
    with (
        Collector() as otlp,
        _gateway(
            tmp_path,
            database_url=database_url,
            redis_url=redis_url,
            embedder_url=hash_embedder_url,
            otlp_endpoint=otlp.url,
            log_level="DEBUG",
        ) as running,
    ):
        wait_until(running.is_ready)
        _push_canaries(running, person.token)
        metrics = httpx2.get(f"{running.admin_url}/metrics", timeout=60, trust_env=False).text
        running.process.terminate()
        assert running.ended() == 0
        return {"log": running.output, "metrics": metrics, "spans": _text(otlp)}


def test_nothing_that_a_client_said_leaves_by_telemetry(exits: dict[str, str], person: Person) -> None:
    for text in exits.values():
        assert CANARY not in text.lower()
        assert person.token not in text
        assert person.token.rpartition(".")[2] not in text


def test_what_may_leave_does_leave(exits: dict[str, str]) -> None:
    for line in (
        'method="tools/call",outcome="ok",tool="remember"',
        'method="tools/call",outcome="tool_error",tool="remember"',
        'method="tools/call",outcome="protocol_error",tool="other"',
        'method="other",outcome="protocol_error",tool=""',
        'method="tools/call",outcome="denied",tool="other"',
    ):
        assert f"mcp_server_operation_duration_seconds_count{{{line}}}" in exits["metrics"]
    for name in ("mcp.tools_call", "POST /mcp", "remember"):
        assert name in exits["spans"]
    assert '"route":"/mcp"' in exits["log"]


def _push_canaries(running: Service, token: str) -> None:
    note = {"memoryType": "note", "topic": CANARY, "content": f"{CANARY} content", "tags": [CANARY], "project": CANARY}
    fact = {"subject": CANARY, "predicate": CANARY, "value": CANARY}
    _call(running, token, "remember", {**note, "facts": [fact]})
    _call(running, token, "remember", {**note, "facts": [fact]})
    _call(running, token, "remember", {**note, CANARY: CANARY, "memoryType": CANARY})
    _call(running, token, "search", {"query": CANARY, "project": CANARY, "cursor": CANARY})
    _call(running, token, CANARY, {CANARY: CANARY})
    _call(running, f"{CANARY}.{CANARY}.{CANARY}", CANARY, {})
    headers = {"authorization": f"Bearer {token}", "origin": f"https://{CANARY}.example", "mcp-session-id": CANARY}
    post: dict[str, Any] = {"timeout": 60, "trust_env": False}
    httpx2.post(f"{running.url}/mcp", json={}, headers=headers, **post)
    headers = {"authorization": f"Bearer {token}", **modern_headers(CANARY, {"name": CANARY})}
    httpx2.post(f"{running.url}/mcp", json=modern_body(CANARY, {"name": CANARY}, CANARY), headers=headers, **post)
    httpx2.post(f"{running.url}/mcp", content=CANARY, headers=headers | {"content-type": "application/json"}, **post)
    httpx2.get(f"{running.url}/{CANARY}?{CANARY}={CANARY}", **post)


def _text(otlp: Collector) -> str:
    return otlp.text
