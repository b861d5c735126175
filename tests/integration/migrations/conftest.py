"""A server of its own, since these tests move schemas and roles; a database and a history of its own for each test."""

import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

from threengram.cli import throwaway
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.migrations.run import HOME

ROLE = "threengram_runtime"


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedPostgres]:
    """A server whose superuser is at hand, as operators of a cluster have it."""
    with throwaway.postgres_server() as embedded:
        yield embedded


@pytest.fixture(scope="session")
def migrations_server(server: EmbeddedPostgres) -> str:
    return server.owner_url


@pytest.fixture
def empty_database(migrations_server: str) -> str:
    """The owner's URL of a database with nothing in it."""
    name = f"schema_{secrets.token_hex(4)}"
    with psycopg.connect(migrations_server, autocommit=True) as owner:
        owner.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return urlunsplit(urlsplit(migrations_server)._replace(path=f"/{name}"))


@pytest.fixture
def next_release(tmp_path: Path) -> Path:
    """A copy of history, roles and grants, to plant those of a later release in."""
    folder = tmp_path / "migrations"
    shutil.copytree(HOME / "versions", folder / "versions", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HOME / "roles.sql", folder)
    return folder


def as_role(owner_url: str, role: str, password: str) -> str:
    """The same database as another role."""
    parts = urlsplit(owner_url)
    return urlunsplit(parts._replace(netloc=f"{role}:{password}@{parts.hostname}:{parts.port}"))
