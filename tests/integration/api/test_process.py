"""The API as a process: it opens its connections, tells how it is, serves, keeps secrets, and ends cleanly."""

from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.contract.rest.process import api_process, new_key
from tests.contract.web.stack import token_in
from tests.integration.runtime.collector import Collector
from tests.integration.runtime.processes import Service
from tests.people import make_user
from tests.servers import free_port
from tests.waiting import wait_until
from threengram.core.ids import new_id

CANARY = "c4n4ry"
NOTE = {"memoryType": "note", "topic": "Process", "content": "A process of its own keeps this."}


@pytest.fixture
def key(database_url: str) -> str:
    return new_key(database_url)


@pytest.fixture(scope="module")
def pushed_key(database_url: str) -> str:
    """The key that the canaries come with."""
    return new_key(database_url)


def _ask(running: Service, method: str, path: str, key: str, **options: Any) -> httpx2.Response:
    headers = {"x-api-key": key, **options.pop("headers", {})}
    url = f"{running.url}/api/v1{path}"
    return httpx2.request(method, url, headers=headers, timeout=60, trust_env=False, **options)


def _ready(running: Service) -> tuple[int, dict[str, Any]]:
    response = httpx2.get(f"{running.admin_url}/readyz", timeout=60, trust_env=False)
    return response.status_code, response.json()


def test_a_process_serves_and_ends_when_it_is_told(
    tmp_path: Path, database_url: str, redis_url: str, hash_embedder_url: str, key: str
) -> None:
    urls = {"database_url": database_url, "redis_url": redis_url, "embedder_url": hash_embedder_url}
    with api_process(tmp_path, **urls) as running:
        wait_until(running.is_ready)
        written = _ask(running, "POST", "/memories", key, json=NOTE)
        found = _ask(running, "POST", "/search", key, json={"query": "what does the process keep?"}).json()
        report = _ready(running)
        running.process.terminate()
        code = running.ended()

    assert (written.status_code, written.json()["embedded"]) == (201, "done")
    assert written.headers["ratelimit-limit"] == "300"
    assert [hit["topic"] for hit in found["hits"]] == ["Process"]
    assert found["coverage"]["vector"] == "used"
    assert report == (200, {"status": "ready"})
    assert code == 0


def test_without_embedder_it_is_degraded_and_search_is_lexical(
    tmp_path: Path, database_url: str, redis_url: str, key: str
) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    urls = {"database_url": database_url, "redis_url": redis_url, "embedder_url": nobody}
    with api_process(tmp_path, **urls) as running:
        wait_until(running.is_ready)
        status, report = _ready(running)
        written = _ask(running, "POST", "/memories", key, json=NOTE).json()
        found = _ask(running, "POST", "/search", key, json={"query": "process"})

    assert (status, set(report["degraded"])) == (200, {"embedder"})
    assert written["embedded"] == "pending"
    assert (found.status_code, found.json()["coverage"]["vector"]) == (200, "unavailable")
    assert found.json()["count"] == 1


def test_without_counters_it_is_not_ready_but_memory_stays_reachable(
    tmp_path: Path, database_url: str, key: str
) -> None:
    nobody = f"redis://127.0.0.1:{free_port()}/0"
    with api_process(tmp_path, database_url=database_url, redis_url=nobody) as running:
        wait_until(lambda: bool(running.events("process_started")))
        status, report = _ready(running)
        answer = _ask(running, "POST", "/search", key, json={"query": "anything"})

    assert (status, set(report["failing"])) == (503, {"limiter"})
    assert answer.status_code == 200


@pytest.mark.parametrize("trusts", [True, False])
def test_only_a_proxy_that_is_declared_says_who_the_caller_is(
    tmp_path: Path, database_url: str, redis_url: str, trusts: bool
) -> None:
    def tried_from(forwarded: str) -> int:
        headers, url = {"x-forwarded-for": forwarded}, f"{running.url}/login"
        return httpx2.post(url, data={"a": "b"}, headers=headers, timeout=60, trust_env=False).status_code

    urls = {"database_url": database_url, "redis_url": redis_url, "login_attempts_per_address": "2"}
    proxies = {"trusted_proxies": "127.0.0.1"} if trusts else {}
    with api_process(tmp_path, **urls, **proxies) as running:
        wait_until(running.is_ready)
        from_many = [tried_from(f"192.0.2.{number + 10 * trusts}") for number in range(3)]
        behind_many = [tried_from(f"203.0.113.{number}, 198.51.100.{9 + trusts}") for number in range(3)]

    assert from_many == ([403, 403, 403] if trusts else [403, 403, 429])
    assert behind_many == ([403, 403, 429] if trusts else [429, 429, 429])


def test_a_role_that_sees_past_row_security_is_refused_at_start(tmp_path: Path, owner_url: str, redis_url: str) -> None:
    with api_process(tmp_path, database_url=owner_url, redis_url=redis_url) as running:
        code = running.ended()
        output = running.output

    assert code == 3
    assert "GuardViolation" in output


@pytest.fixture(scope="module")
def exits(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, redis_url: str, hash_embedder_url: str, pushed_key: str
) -> dict[str, str]:
    """What left the process through each exit, after the canary went in through each door."""
    urls = {"database_url": database_url, "redis_url": redis_url, "embedder_url": hash_embedder_url}
    directory = tmp_path_factory.mktemp("api")
    with Collector() as otlp, api_process(directory, **urls, otlp_endpoint=otlp.url, log_level="DEBUG") as running:
        wait_until(running.is_ready)
        _push_canaries(running, pushed_key)
        secrets = _push_canaries_through_pages(running, database_url)
        metrics = httpx2.get(f"{running.admin_url}/metrics", timeout=60, trust_env=False).text
        running.process.terminate()
        assert running.ended() == 0
        for secret in secrets:
            assert secret not in running.output + metrics + otlp.text
        return {"log": running.output, "metrics": metrics, "spans": otlp.text}


def test_nothing_that_a_client_said_leaves_by_telemetry(exits: dict[str, str], pushed_key: str) -> None:
    for text in exits.values():
        assert CANARY not in text.lower()
        assert pushed_key not in text
        assert pushed_key.removeprefix("3ng_")[:8] not in text


def test_what_may_leave_does_leave(exits: dict[str, str]) -> None:
    for route, status_class in (
        ("/api/v1/memories", "2xx"),
        ("/api/v1/memories", "4xx"),
        ("/api/v1/memories/{id}", "4xx"),
        ("other", "4xx"),
        ("/login", "4xx"),
        ("/login", "3xx"),
        ("/account/sessions/{session_id}/revoke", "4xx"),
        ("/memories", "3xx"),
        ("/memories/{id}/archive", "4xx"),
    ):
        assert f'route="{route}",status_class="{status_class}"' in exits["metrics"]
    for name in ("POST /api/v1/memories", "db.query"):
        assert name in exits["spans"]
    assert '"route":"/api/v1/search"' in exits["log"]


def _push_canaries(running: Service, key: str) -> None:
    note = {"memoryType": "note", "topic": CANARY, "content": f"{CANARY} content", "tags": [CANARY], "project": CANARY}
    fact = {"subject": CANARY, "predicate": CANARY, "value": CANARY}
    as_json = {"headers": {"content-type": "application/json"}}
    for body in ({**note, "facts": [fact]}, {**note, "facts": [fact]}, {**note, CANARY: CANARY}):
        _ask(running, "POST", "/memories", key, json=body)
    _ask(running, "POST", "/search", key, json={"query": CANARY, "project": CANARY, "cursor": CANARY})
    _ask(running, "POST", "/search", key, json={"query": CANARY})
    _ask(running, "POST", "/search", key, content=CANARY, **as_json)
    _ask(running, "GET", f"/memories/{CANARY}?{CANARY}={CANARY}", key)
    _ask(running, "GET", f"/{CANARY}", key)
    _ask(running, CANARY, "/search", key)
    _ask(running, "GET", "/version", f"3ng_{CANARY}{'x' * 40}")
    _ask(running, "GET", "/version", key, headers={"x-api-key": "", "authorization": f"Bearer {CANARY}.{CANARY}"})


def _push_canaries_through_pages(running: Service, database_url: str) -> set[str]:
    """Log in, fail to, and change a password, all of it with canaries; the secrets that the pages handed out."""
    email, password = f"{new_id()}-{CANARY}@example.test", f"{CANARY} {CANARY} {CANARY}"

    make_user(database_url, email, password)
    secrets: set[str] = set()
    with httpx2.Client(base_url=running.url, timeout=60, trust_env=False) as browser:

        def send(page: str, path: str, **fields: str) -> int:
            token = token_in(browser.get(page))
            form = {"csrf_token": token, "next": f"/account?{CANARY}", **fields}
            status = browser.post(path, data=form).status_code
            secrets.update((token, *(cookie.value or "" for cookie in browser.cookies.jar)))
            return status

        login = partial(send, f"/login?next=/{CANARY}", "/login")
        assert login(email=email, password=f"{CANARY} is wrong") == 401
        assert login(email=f"nobody-{CANARY}@example.test", password=password) == 401
        assert login(email=email, password=password) == 303
        change = partial(send, "/account", "/account/password", new_password=password, repeated_password=password)
        assert change(current_password=f"{CANARY} is wrong") == 403
        assert change(current_password=password) == 303
        assert send("/account", f"/account/sessions/{CANARY}/revoke") == 404
        assert send("/account", "/memories", query=CANARY, project=CANARY) == 303
        assert send("/account", "/memories", query=CANARY, scope=CANARY, until=CANARY) == 400
        assert send("/account", "/facts", subject=CANARY, predicate=CANARY) == 303
        assert send("/account", f"/memories/{CANARY}/archive") == 404
        browser.get(f"/memories?s={CANARY}&cursor={CANARY}")
        assert send("/account", "/logout") == 303
    assert len(secrets) > 3
    return secrets - {""}
