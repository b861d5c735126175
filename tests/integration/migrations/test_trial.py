"""What `helm test` runs, against a gateway that runs as a process."""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from joserfc.jwk import RSAKey

from tests.integration.runtime.processes import Service, eventually, listening, service
from tests.people import AUDIENCE, ISSUER
from threengram.migrations.manage import publish_keys

TIMEOUT_S = 60


@pytest.fixture
def published_key(owner_url: str) -> Iterator[str]:
    """The private half of a key that verifiers know."""
    key = a_key()
    publish_keys(owner_url, key, datetime.now(UTC))
    yield key
    with psycopg.connect(owner_url) as owner:
        owner.execute("DELETE FROM signing_keys WHERE kid = %s", (RSAKey.import_key(key).thumbprint(),))


def a_key() -> str:
    return RSAKey.generate_key(2048).as_pem(private=True).decode()


@pytest.fixture
def gateway(
    tmp_path: Path, database_url: str, redis_url: str, hash_embedder_url: str, published_key: str
) -> Iterator[Service]:
    settings = {
        "public_url": AUDIENCE.removesuffix("/mcp"),
        "issuer_url": ISSUER,
        "cursor_key": base64.urlsafe_b64encode(b"k" * 32).decode(),
        "database_url": database_url,
        "redis_url": redis_url,
        "embedder_url": hash_embedder_url,
    }
    with (
        listening() as listener,
        service(("-m", "threengram.gateway"), "THREENGRAM_GATEWAY_", tmp_path, listener, **settings) as running,
    ):
        eventually(running.is_ready)
        yield running


def trial(database_url: str, gateway_url: str, key: str) -> tuple[int, list[dict[str, str]], str]:
    settings = {
        "DATABASE_URL": database_url,
        "SIGNING_KEY": key,
        "PUBLIC_URL": AUDIENCE.removesuffix("/mcp"),
        "ISSUER_URL": ISSUER,
        "GATEWAY_URL": gateway_url,
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


def test_an_installation_in_order_passes_again_and_again(
    gateway: Service, database_url: str, published_key: str
) -> None:
    for _ in range(2):
        code, lines, errors = trial(database_url, gateway.url, published_key)
        assert (code, errors) == (0, ""), lines
        tools = [line.get("tool", line["event"]) for line in lines]
        assert tools == ["remember", "search", "revise", "search", "briefing", "passed"]


def test_a_gateway_that_does_not_know_the_key_fails_the_trial_and_says_where(
    gateway: Service, database_url: str
) -> None:
    code, lines, _ = trial(database_url, gateway.url, a_key())
    assert (code, lines[-1]["event"], lines[-1]["reason"]) == (1, "failed", "remember: HTTP 401")
