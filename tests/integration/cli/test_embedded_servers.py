import os
import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.servers import free_port, running
from threengram.cli import binaries
from threengram.cli.account import own, service_account
from threengram.cli.binaries import postgres_installation, valkey_program
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.cli.embedded_valkey import EmbeddedValkey
from threengram.cli.errors import CannotRun


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    """A directory of the service account."""
    with tempfile.TemporaryDirectory() as name:
        own(Path(name), service_account())
        yield Path(name)


@pytest.fixture(scope="module")
def cluster(directory: Path) -> EmbeddedPostgres:
    server = EmbeddedPostgres(
        directory=directory / "postgres",
        installation=postgres_installation(directory / "binaries", service_account()),
        port=free_port(),
        superuser_password=secrets.token_urlsafe(),
        owner_password=secrets.token_urlsafe(),
        account=service_account(),
    )
    server.create()
    return server


@pytest.fixture(scope="module")
def postgres(cluster: EmbeddedPostgres) -> Iterator[subprocess.Popen[bytes]]:
    with running(cluster.command(), cluster.accepts_connections) as process:
        cluster.bootstrap()
        yield process


def test_the_server_runs_as_the_service_account(postgres: subprocess.Popen[bytes]) -> None:
    account = service_account()
    expected = os.geteuid() if account is None else account.uid
    assert expected != 0
    assert psutil.Process(postgres.pid).uids().effective == expected


@pytest.mark.usefixtures("postgres")
def test_the_owner_is_no_superuser_and_has_pgvector_in_every_database_it_creates(cluster: EmbeddedPostgres) -> None:
    with psycopg.connect(cluster.owner_url, autocommit=True) as owner:
        role = owner.execute("SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user")
        assert role.fetchone() == (False, False, True)
        owner.execute("CREATE DATABASE another")
    with psycopg.connect(cluster.owner_url.rpartition("/")[0] + "/another") as another:
        assert another.execute("SELECT '[1,0]'::halfvec <=> '[0,1]'").fetchone() == (1.0,)


@pytest.mark.usefixtures("postgres")
def test_every_connection_needs_its_password(cluster: EmbeddedPostgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(replace(cluster, owner_password="wrong").owner_url)
    with psycopg.connect(cluster.superuser_url) as superuser:
        methods = superuser.execute("SELECT DISTINCT auth_method FROM pg_hba_file_rules").fetchall()
        assert methods == [("scram-sha-256",)]


@pytest.mark.usefixtures("postgres")
def test_commits_are_durable_and_logs_hold_no_statement(cluster: EmbeddedPostgres) -> None:
    names = ("fsync", "jit", "shared_buffers", "unix_socket_directories", "log_min_error_statement", "log_min_messages")
    with psycopg.connect(cluster.superuser_url) as superuser:
        settings = {name: superuser.execute("SELECT current_setting(%s)", (name,)).fetchone() for name in names}
    assert {name: value[0] for name, value in settings.items() if value} == {
        "fsync": "on",
        "jit": "off",
        "shared_buffers": "256MB",
        "unix_socket_directories": "",
        "log_min_error_statement": "panic",
        "log_min_messages": "log",
    }


def test_the_log_is_silent_about_what_a_failing_statement_said(cluster: EmbeddedPostgres, tmp_path: Path) -> None:
    log = tmp_path / "log"
    other = replace(cluster, port=free_port(), directory=cluster.directory.with_name("logged"))
    other.create()
    with (
        log.open("w+b") as output,
        running(other.command(), other.accepts_connections, output=output),
        psycopg.connect(other.superuser_url, autocommit=True) as connection,
    ):
        connection.execute("DO $$ BEGIN RAISE WARNING 'canary'; END $$")
        for statement in ("SELECT 'canary'::uuid", "SELECT canary"):
            with pytest.raises(psycopg.Error, match="canary"):
                connection.execute(statement.encode())
    assert "ready to accept connections" in log.read_text()
    assert "canary" not in log.read_text()


@pytest.mark.usefixtures("postgres")
def test_a_repeated_start_changes_nothing(cluster: EmbeddedPostgres) -> None:
    before = (cluster.directory / "PG_VERSION").stat().st_mtime_ns
    cluster.create()
    cluster.bootstrap()
    assert (cluster.directory / "PG_VERSION").stat().st_mtime_ns == before


def test_a_cluster_of_another_major_version_is_refused_with_both_versions(
    cluster: EmbeddedPostgres, tmp_path: Path
) -> None:
    (tmp_path / "PG_VERSION").write_text("16\n")
    with pytest.raises(CannotRun, match="was written by PostgreSQL 16 and this program brings 18"):
        replace(cluster, directory=tmp_path).create()


def test_a_directory_that_is_no_cluster_is_refused(cluster: EmbeddedPostgres, tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="is not a PostgreSQL data directory"):
        replace(cluster, directory=tmp_path).create()


def test_binaries_out_of_reach_are_copied_once_and_run_from_the_copy(
    cluster: EmbeddedPostgres, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "first_unreachable", lambda paths, _account: paths[0])
    account = service_account()
    copies = directory / "copies"
    copies.mkdir()
    copies.chmod(0o755)
    installation = postgres_installation(copies, account)
    assert installation.is_relative_to(copies)
    assert postgres_installation(copies, account) == installation
    copied = replace(cluster, installation=installation, directory=directory / "copied", port=free_port())
    copied.create()
    with running(copied.command(), copied.accepts_connections):
        copied.bootstrap()
    program = valkey_program(copies, account)
    assert program.is_relative_to(copies)
    assert os.access(program, os.X_OK)


def test_valkey_needs_its_password_keeps_nothing_and_bounds_its_memory(directory: Path) -> None:
    server = EmbeddedValkey(
        directory=directory,
        program=valkey_program(directory / "binaries", service_account()),
        port=free_port(),
        password=secrets.token_urlsafe(),
        account=service_account(),
    )
    with running(server.command(), server.accepts_connections) as process:
        assert server.password not in " ".join(psutil.Process(process.pid).cmdline())
        assert not replace(server, password="wrong").accepts_connections()
        with redis.Redis.from_url(server.url, decode_responses=True) as client:
            wanted = ("appendonly", "save", "maxmemory", "bind")
            assert client.config_get(*wanted) == {
                "appendonly": "no",
                "save": "",
                "maxmemory": str(256 * 1024 * 1024),
                "bind": "127.0.0.1",
            }
        once = Retry(NoBackoff(), 0)
        with redis.Redis(port=server.port, retry=once) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
