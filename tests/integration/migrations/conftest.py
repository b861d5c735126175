"""A server of its own, since these tests move schemas and roles; a database and a history of its own for each test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import servers
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
    return servers.empty_database(migrations_server)


@pytest.fixture
def next_release(tmp_path: Path) -> Path:
    """A copy of history, roles and grants, to plant those of a later release in."""
    folder = tmp_path / "migrations"
    shutil.copytree(HOME / "versions", folder / "versions", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HOME / "roles.sql", folder)
    return folder
