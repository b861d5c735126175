"""PostgreSQL and Valkey for tests, from the same wheels as `threengram up`, in a temporary directory.

    @pytest.fixture(scope="session")
    def owner_url() -> Iterator[str]:
        with postgres_server() as url:
            yield url

`TEST_DATABASE_URL` and `TEST_REDIS_URL` name servers to use instead; with `TEST_CONTAINERS=1` PostgreSQL runs in a
container, from an image of the same binaries (`python -m images.build postgres`).
"""

import contextlib
import secrets
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from tests import containers
from tests.settings import ServerSettings
from threengram.cli import throwaway
from threengram.cli.free_ports import free_port
from threengram.cli.serving import running
from threengram.cli.throwaway import account_directory

__all__ = ["account_directory", "as_role", "empty_database", "free_port", "postgres_server", "running", "valkey_server"]


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """The URL of an owner (CREATEROLE, CREATEDB, no superuser) of an empty database on a server that forgets."""
    settings = ServerSettings()
    if settings.test_database_url is not None:
        yield settings.test_database_url
        return
    if settings.test_containers:
        with containers.postgres() as url:
            yield url
        return
    with throwaway.postgres() as url:
        yield url


@contextlib.contextmanager
def valkey_server() -> Iterator[str]:
    """The `redis://` URL of an empty Valkey with a password."""
    given = ServerSettings().test_redis_url
    if given is not None:
        yield given
        return
    with throwaway.valkey() as url:
        yield url


def empty_database(owner_url: str) -> str:
    """The owner's URL of a new database on the same server."""
    name = f"test_{secrets.token_hex(4)}"
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return urlunsplit(urlsplit(owner_url)._replace(path=f"/{name}"))


def as_role(owner_url: str, role: str, password: str) -> str:
    """The same database as another role."""
    parts = urlsplit(owner_url)
    return urlunsplit(parts._replace(netloc=f"{role}:{password}@{parts.hostname}:{parts.port}"))
