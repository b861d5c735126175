"""What `helm test` runs, against a gateway and an API that run as processes."""

import base64
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.contract.rest.process import api_process
from tests.integration.runtime.processes import Service, listening, service
from tests.people import AUDIENCE, ISSUER
from tests.waiting import wait_until
from threengram.migrations.trial import EMAIL

TIMEOUT_S = 60
PUBLIC_URL = AUDIENCE.removesuffix("/mcp")
STEPS = ["register", "token", "remember", "search", "revise", "search", "briefing"]


@pytest.fixture
def urls(database_url: str, redis_url: str, hash_embedder_url: str) -> dict[str, str]:
    return {
        "public_url": PUBLIC_URL,
        "issuer_url": ISSUER,
        "database_url": database_url,
        "redis_url": redis_url,
        "embedder_url": hash_embedder_url,
    }


@contextlib.contextmanager
def gateway_process(directory: Path, urls: dict[str, str]) -> Iterator[Service]:
    settings = {**urls, "cursor_key": base64.urlsafe_b64encode(b"k" * 32).decode()}
    with (
        listening() as listener,
        service(("-m", "threengram.gateway"), "THREENGRAM_GATEWAY_", directory, listener, **settings) as running,
    ):
        wait_until(running.is_ready)
        yield running


@pytest.fixture
def gateway(tmp_path: Path, urls: dict[str, str]) -> Iterator[Service]:
    with gateway_process(tmp_path, urls) as running:
        yield running


@pytest.fixture
def api(tmp_path: Path, urls: dict[str, str]) -> Iterator[Service]:
    with api_process(tmp_path, **urls) as running:
        wait_until(running.is_ready)
        yield running


def trial(database_url: str, gateway: Service, api: Service) -> tuple[int, list[dict[str, str]], str]:
    settings = {
        "DATABASE_URL": database_url,
        "PUBLIC_URL": PUBLIC_URL,
        "ISSUER_URL": ISSUER,
        "GATEWAY_URL": gateway.url,
        "API_URL": api.url,
    }
    done = subprocess.run(
        [sys.executable, "-P", "-m", "threengram.migrations.trial"],
        env={f"THREENGRAM_MANAGE_{name}": value for name, value in settings.items()},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def live_grants(database_url: str) -> int:
    """Of the trial's own user."""
    query = (
        "SELECT count(*) FROM oauth_grants g JOIN users u ON u.tenant_id = g.tenant_id AND u.id = g.user_id"
        " WHERE u.email = %(email)s AND g.revoked_at IS NULL"
    )
    with psycopg.connect(database_url) as runtime:
        row = runtime.execute("SELECT tenant_id FROM auth_user_by_email(%s)", (EMAIL,)).fetchone()
        assert row is not None
        runtime.execute("SELECT set_config('app.tenant_id', %s, true)", (str(row[0]),))
        counted = runtime.execute(query, {"email": EMAIL}).fetchone()
    assert counted is not None
    return int(counted[0])


def test_an_installation_in_order_passes_again_and_again(gateway: Service, api: Service, database_url: str) -> None:
    for _ in range(2):
        code, lines, errors = trial(database_url, gateway, api)
        assert (code, errors) == (0, ""), lines
        assert [line.get("step", line["event"]) for line in lines] == [*STEPS, "passed"]
    assert live_grants(database_url) == 0


def test_a_gateway_that_takes_tokens_of_another_issuer_fails_the_trial_which_says_where(
    tmp_path: Path, urls: dict[str, str], api: Service, database_url: str
) -> None:
    with gateway_process(tmp_path, {**urls, "issuer_url": "https://another.example"}) as gateway:
        code, lines, _ = trial(database_url, gateway, api)
    assert (code, lines[-1]["event"], lines[-1]["reason"]) == (1, "failed", "remember: HTTP 401")
    assert live_grants(database_url) == 0
