"""Servers that forget: PostgreSQL, Valkey and the embedder on free loopback ports, for tests and evaluations.

They come from the same wheels as those of `threengram up`, live in a temporary directory and end with the block:

    with throwaway.postgres() as owner_url, throwaway.embedder("onnx") as embedder_url:
        ...
"""

import contextlib
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx2

from threengram.cli.account import own, service_account
from threengram.cli.binaries import postgres_installation, valkey_program
from threengram.cli.command import Command
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.cli.embedded_valkey import EmbeddedValkey
from threengram.cli.free_ports import free_port
from threengram.cli.serving import running


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """The URL of an owner (CREATEROLE, CREATEDB, no superuser) of an empty database."""
    with postgres_server() as server:
        yield server.owner_url


@contextlib.contextmanager
def postgres_server() -> Iterator[EmbeddedPostgres]:
    """A server with an owner and an empty database of that owner's; its superuser is at hand too.

    pgvector is in every database that the owner creates. Nothing is flushed to disk, so commits cost little.
    """
    account = service_account()
    with account_directory() as directory:
        server = EmbeddedPostgres(
            directory=directory / "postgres",
            installation=postgres_installation(directory, account),
            port=free_port(),
            superuser_password=secrets.token_urlsafe(),
            owner_password=secrets.token_urlsafe(),
            account=account,
            is_durable=False,
            settings={"shared_buffers": "64MB"},
        )
        server.create()
        with running(server.command(), server.accepts_connections):
            server.bootstrap()
            yield server


@contextlib.contextmanager
def valkey() -> Iterator[str]:
    """The `redis://` URL of an empty Valkey with a password."""
    account = service_account()
    with account_directory() as directory:
        server = EmbeddedValkey(
            directory=directory,
            program=valkey_program(directory, account),
            port=free_port(),
            password=secrets.token_urlsafe(),
            account=account,
        )
        with running(server.command(), server.accepts_connections):
            yield server.url


@contextlib.contextmanager
def embedder(provider: str, *, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """The base URL of a ready embedding service with that provider, and `settings` by their names without prefix."""
    port, admin_port = free_port(), free_port()
    prefix = "THREENGRAM_EMBEDDER_"
    command = Command(
        argv=(sys.executable, "-P", "-m", "threengram.embedder"),
        environment={
            f"{prefix}PORT": str(port),
            f"{prefix}ADMIN_PORT": str(admin_port),
            f"{prefix}PROVIDER": provider,
            **{prefix + name: value for name, value in (settings or {}).items()},
        },
        directory=Path("/"),
    )

    def is_ready() -> bool:
        try:
            return httpx2.get(f"http://127.0.0.1:{admin_port}/readyz", trust_env=False).status_code == httpx2.codes.OK
        except httpx2.TransportError:
            return False

    with running(command, is_ready):
        yield f"http://127.0.0.1:{port}"


@contextlib.contextmanager
def account_directory() -> Iterator[Path]:
    """A temporary directory that the service account owns; it has to be passable from the root down."""
    directory = Path(tempfile.mkdtemp(prefix="threengram-"))
    try:
        own(directory, service_account())
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
