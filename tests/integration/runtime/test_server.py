"""The life of a process: admin endpoints, drain, inherited sockets."""

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx2
import pytest

from tests.integration.runtime.processes import Service, listening, probe, service
from tests.waiting import wait_until
from threengram.runtime.health import Health, admin_app
from threengram.runtime.server import admin_served
from threengram.runtime.settings import ServiceSettings


def test_admin_endpoints_answer_on_their_own_port(tmp_path: Path) -> None:
    with listening() as listener, probe(tmp_path, listener) as running:
        wait_until(running.is_ready)
        with httpx2.Client(base_url=running.admin_url, timeout=60, trust_env=False) as admin:
            assert admin.get("/livez").json() == {"status": "ok"}
            assert admin.get("/readyz").json() == {"status": "ready"}
            assert 'threengram_build_info{python="' in admin.get("/metrics").text
            assert admin.get("/slow").status_code == 404
            wrong = admin.post("/livez")
            assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, HEAD")
        assert httpx2.get(f"{running.url}/livez", timeout=60, trust_env=False).status_code == 404


@pytest.mark.parametrize(("host", "peer"), [("::", "[::1]"), ("::", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")])
async def test_every_address_of_a_pod_is_served_whatever_its_family(host: str, peer: str) -> None:
    settings = ServiceSettings(admin_host=host, port=0, admin_port=0)
    async with admin_served(admin_app(Health()), settings) as port, httpx2.AsyncClient(trust_env=False) as admin:
        assert (await admin.get(f"http://{peer}:{port}/livez", timeout=5)).status_code == 200


def test_a_failing_check_answers_503_with_its_name_and_error_class_only(tmp_path: Path) -> None:
    with listening() as listener, probe(tmp_path, listener, fails_its_check="true") as running:
        wait_until(lambda: bool(running.events("process_started")))
        answer = httpx2.get(f"{running.admin_url}/readyz", timeout=60, trust_env=False)

    assert answer.status_code == 503
    assert answer.json() == {"status": "not_ready", "failing": {"probe": "ConnectionError"}}


def is_draining(running: Service) -> bool:
    """Whether the process has taken the signal: until then it answers as before."""
    answer = httpx2.get(f"{running.admin_url}/readyz", timeout=60, trust_env=False)
    return (answer.status_code, answer.json()) == (503, {"status": "draining"})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_drain_finishes_what_is_in_flight_and_answers_open_connections(
    tmp_path: Path, number: signal.Signals
) -> None:
    with listening() as listener, probe(tmp_path, listener, drain_linger_s="10") as running:
        wait_until(running.is_ready)
        with httpx2.Client(base_url=running.url, timeout=60, trust_env=False) as client, ThreadPoolExecutor() as pool:
            assert client.get("/release-not").status_code == 404
            slow = pool.submit(httpx2.get, f"{running.url}/slow", timeout=60, trust_env=False)
            wait_until(lambda: bool(running.events("probe_waiting")))

            running.process.send_signal(number)
            wait_until(partial(is_draining, running))
            released = client.get("/release")

        assert (released.json(), released.headers["connection"]) == ({"released": True}, "close")
        assert (slow.result().json(), slow.result().headers["connection"]) == ({"slow": True}, "close")
        assert running.ended() == 0
        assert [line["event"] for line in running.lines if line["logger"] != "threengram.runtime.access"] == [
            "probe_opened",
            "process_started",
            "probe_waiting",
            "drain_started",
            "probe_closed",
            "process_stopped",
        ]


def test_a_request_that_outlasts_the_grace_period_does_not_keep_the_process(tmp_path: Path) -> None:
    with (
        listening() as listener,
        probe(tmp_path, listener, shutdown_grace_s="0.3", drain_linger_s="0.1") as running,
        ThreadPoolExecutor() as pool,
    ):
        wait_until(running.is_ready)
        slow = pool.submit(httpx2.get, f"{running.url}/slow", timeout=60, trust_env=False)
        wait_until(lambda: bool(running.events("probe_waiting")))
        running.process.terminate()

        assert running.ended() == 0
        assert slow.exception() is not None or slow.result().status_code == 500
        assert running.events("probe_closed")


def test_the_owner_of_the_socket_hands_it_to_the_next_process_without_a_refused_connection(tmp_path: Path) -> None:
    with listening() as listener:
        with probe(tmp_path, listener) as first:
            wait_until(first.is_ready)
            first.process.terminate()
            assert first.ended() == 0
        with ThreadPoolExecutor() as pool:
            # Nobody accepts at this moment: the connection waits in the backlog of the owner's socket.
            waiting = pool.submit(httpx2.get, f"{first.url}/release", timeout=60, trust_env=False)
            with probe(tmp_path, listener):
                assert waiting.result().json() == {"released": True}


def test_requests_keep_succeeding_while_processes_replace_each_other(tmp_path: Path) -> None:
    stopped = threading.Event()
    statuses: list[int] = []

    def call(url: str) -> None:
        with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
            while not stopped.is_set():
                statuses.append(client.get("/release").status_code)

    with listening() as listener, ThreadPoolExecutor() as pool, probe(tmp_path, listener) as old:
        wait_until(old.is_ready)
        calls = [pool.submit(call, old.url) for _ in range(2)]
        try:
            wait_until(lambda: len(statuses) > 20)
            with probe(tmp_path, listener) as new:
                wait_until(new.is_ready)
                old.process.terminate()
                assert old.ended() == 0
                before = len(statuses)
                wait_until(lambda: len(statuses) > before + 20)
                stopped.set()
                for finished in calls:
                    finished.result()
        finally:
            stopped.set()

    assert set(statuses) == {200}


def test_a_failed_startup_exits_with_3_and_says_why_without_the_message(tmp_path: Path) -> None:
    with listening() as listener, probe(tmp_path, listener, fails_to_start="true") as running:
        assert running.ended() == 3
        (failed,) = running.events("startup_failed")

    assert failed["error_class"] == "RuntimeError"
    assert "canary" not in running.output


async def test_a_process_without_a_server_of_its_own_has_admin_endpoints_on_its_loop() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def check() -> None:
        loops.append(asyncio.get_running_loop())

    settings = ServiceSettings(port=0, admin_port=0)
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        async with admin_served(admin_app(Health({"broker": check})), settings) as port:
            answer = await http.get(f"http://127.0.0.1:{port}/readyz")
        with pytest.raises(httpx2.ConnectError):
            await http.get(f"http://127.0.0.1:{port}/livez")

    assert answer.json() == {"status": "ready"}
    assert loops == [asyncio.get_running_loop()]


def test_a_service_answers_unknown_paths_with_the_error_envelope_and_drains(tmp_path: Path) -> None:
    module = ("-m", "threengram.cimd")
    with listening() as listener, service(module, "THREENGRAM_CIMD_", tmp_path, listener) as running:
        wait_until(running.is_ready)
        answer = httpx2.get(f"{running.url}/no/such/path", timeout=60, trust_env=False)
        running.process.terminate()

        assert (answer.status_code, answer.json()) == (404, {"error": "not_found"})
        assert running.ended() == 0
