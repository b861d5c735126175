"""A database of its own for each test, worker and beat as processes, and an embedder that does as it is told."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from redis import Redis

from tests.conftest import RUNTIME_PASSWORD
from tests.embedder import DIMENSIONS, MODELS, embedder_service
from tests.integration.worker.programs import Stack
from tests.integration.worker.scripted_embedder import ScriptedEmbedder
from tests.integration.worker.writing import Diary, open_diary
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import RUNTIME_ROLE, upgrade

EMPTY_WAIT_S = 120.0
INTERVAL_S = "0.3"
NARROW = 64


def _in_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def _execute(url: str, statement: str, name: str, *more: str) -> None:
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(sql.SQL(statement).format(*map(sql.Identifier, (name, *more))))


def _await_empty(url: str, name: str) -> None:
    """Until the server has seen that its killed clients are gone; the owner may not end what belongs to others."""
    until = time.monotonic() + EMPTY_WAIT_S
    with psycopg.connect(url, autocommit=True) as owner:
        while owner.execute("SELECT FROM pg_stat_activity WHERE datname = %s", (name,)).fetchone() is not None:
            assert time.monotonic() < until, "somebody is still connected"
            time.sleep(0.02)


@pytest.fixture(scope="session")
def template(owner_url: str) -> Iterator[str]:
    """The name of a migrated database without tenants."""
    name = f"worker_{uuid4().hex}"
    _execute(owner_url, "CREATE DATABASE {}", name)
    url = _in_database(owner_url, name)
    upgrade(url, runtime_password=RUNTIME_PASSWORD)
    ensure_model(url, name=MODELS["hash"], dimensions=DIMENSIONS)
    yield name
    _execute(owner_url, "DROP DATABASE {}", name)


@pytest.fixture
def own_database_url(owner_url: str, template: str) -> Iterator[str]:
    """The runtime role's URL of a copy of the template; its rows are nobody else's."""
    name = f"worker_{uuid4().hex}"
    _execute(owner_url, "CREATE DATABASE {} TEMPLATE {}", name, template)
    parts = urlsplit(_in_database(owner_url, name))
    yield urlunsplit(parts._replace(netloc=f"{RUNTIME_ROLE}:{RUNTIME_PASSWORD}@{parts.hostname}:{parts.port}"))
    _await_empty(owner_url, name)
    # Not by force: autovacuum may have come meanwhile, and the owner may not end it. The server does, if not forced.
    _execute(owner_url, "DROP DATABASE {}", name)


@pytest.fixture
def own_owner_url(owner_url: str, own_database_url: str) -> str:
    """The owner's URL of this test's database."""
    return _in_database(owner_url, urlsplit(own_database_url).path.removeprefix("/"))


@pytest.fixture
def silent_redis_url(redis_url: str) -> str:
    """The broker without a message from an earlier test."""
    with Redis.from_url(redis_url) as redis:
        redis.delete("embed", "consolidate", "maintenance", "unacked", "unacked_index")
    return redis_url


@pytest.fixture
async def diary(own_database_url: str) -> AsyncIterator[Diary]:
    """Writes memories without vectors, and says what is still pending."""
    async with open_diary(own_database_url) as diary:
        yield diary


@pytest.fixture
def scripted() -> Iterator[ScriptedEmbedder]:
    with ScriptedEmbedder() as embedder:
        yield embedder


@pytest.fixture
def stack(own_database_url: str, silent_redis_url: str, tmp_path: Path) -> Iterator[Stack]:
    """Starts programs on this test's database; every one is killed at the end."""
    variables = {
        "DATABASE_URL": own_database_url,
        "REDIS_URL": silent_redis_url,
        "EMBED_INTERVAL_S": INTERVAL_S,
        "JOB_INTERVAL_S": INTERVAL_S,
        "LOG_LEVEL": "DEBUG",
    }
    with Stack(tmp_path, variables) as stack:
        yield stack


@pytest.fixture(scope="session")
def two_models_url() -> Iterator[str]:
    """An embedder that serves hashes of two widths."""
    declared = [{"provider": "hash", "dimensions": dimensions} for dimensions in (DIMENSIONS, NARROW)]
    with embedder_service("hash", settings={"MODELS": json.dumps(declared)}) as url:
        yield url
