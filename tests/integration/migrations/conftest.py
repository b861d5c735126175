"""A server of its own, since these tests move schemas and roles; a database and a history of its own for each test."""

import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

from tests.servers import postgres_server
from threengram.migrations.run import VERSIONS

ROLE = "threengram_runtime"


@pytest.fixture(scope="session")
def migrations_server() -> Iterator[str]:
    with postgres_server() as url:
        yield url


@pytest.fixture
def empty_database(migrations_server: str) -> str:
    """The owner's URL of a database with nothing in it."""
    name = f"schema_{secrets.token_hex(4)}"
    with psycopg.connect(migrations_server, autocommit=True) as owner:
        owner.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return urlunsplit(urlsplit(migrations_server)._replace(path=f"/{name}"))


@pytest.fixture
def versions(tmp_path: Path) -> Path:
    """A copy of the history, to plant migrations in."""
    folder = tmp_path / "versions"
    shutil.copytree(VERSIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def as_role(owner_url: str, role: str, password: str) -> str:
    """The same database as another role."""
    parts = urlsplit(owner_url)
    return urlunsplit(parts._replace(netloc=f"{role}:{password}@{parts.hostname}:{parts.port}"))
