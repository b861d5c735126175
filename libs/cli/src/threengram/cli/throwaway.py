"""Servers that forget: PostgreSQL, Valkey and the embedder on free loopback ports, for tests and evaluations.

They come from the same wheels as those of `threengram up`, live in a temporary directory and end with the block:

    with throwaway.postgres() as owner_url, throwaway.embedder("onnx") as embedder_url:
        ...
"""

import contextlib
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

import httpx2

from threengram.cli.account import own, service_account
from threengram.cli.binaries import postgres_installation, valkey_program
from threengram.cli.command import Command
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.cli.embedded_valkey import EmbeddedValkey

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0
POLL_S = 0.02


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """The URL of an owner (CREATEROLE, CREATEDB, no superuser) of an empty database.

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
            yield server.owner_url


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
def running(
    command: Command, is_ready: Callable[[], bool], *, output: IO[bytes] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The command's process from the moment it is ready; stopped at the end. Its output is shown if it never is."""
    with contextlib.ExitStack() as resources:
        log = output or resources.enter_context(tempfile.TemporaryFile())
        process = subprocess.Popen(  # noqa: S603 (our own programs and options)
            command.argv, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, **command.popen_options()
        )
        resources.callback(_stop, process, command)
        assert process.stdin is not None
        with process.stdin as stdin:
            stdin.write(command.stdin)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                log.seek(0)
                raise RuntimeError(f"{command.argv[0]} did not become ready:\n{log.read().decode()}")
            time.sleep(POLL_S)
        yield process


def _stop(process: subprocess.Popen[bytes], command: Command) -> None:
    process.send_signal(command.stop_signal)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A loopback port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def account_directory() -> Iterator[Path]:
    """A temporary directory that the service account owns; it has to be passable from the root down."""
    directory = Path(tempfile.mkdtemp(prefix="threengram-"))
    try:
        own(directory, service_account())
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
