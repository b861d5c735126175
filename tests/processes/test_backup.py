"""The restore drill, with the documented commands: base backup, archive, and back to a point in time."""

import time
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from psycopg import sql

from tests.processes.test_up import call
from tests.servers import running
from tests.stack import RunningStack, data_directory, hashing, running_stack, stop, threengram
from threengram.cli import secrets
from threengram.cli.account import service_account
from threengram.cli.backends import EmbeddedBackends
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.cli.layout import Layout
from threengram.cli.ports import Ports

Digests = dict[str, tuple[int, str | None]]


def remember(stack: RunningStack, content: str) -> None:
    record = stack.record
    arguments = {"memoryType": "fact", "topic": "drill", "content": content}
    call(record["mcpUrl"], record["token"], "remember", arguments)


def server_of(data_dir: Path, port_base: int) -> EmbeddedPostgres:
    """The database as `threengram up` starts it on this data directory."""
    layout = Layout(data_dir)
    return EmbeddedBackends(layout, Ports(port_base), secrets.load(layout.secrets), service_account()).postgres()


def digests(server: EmbeddedPostgres) -> Digests:
    """Of every table: how many rows, and a hash of all their columns."""
    with psycopg.connect(server.superuser_url, dbname="threengram") as connection:
        names = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
        ).fetchall()
        return {name: digest(connection, name) for (name,) in names}


def digest(connection: psycopg.Connection, table: str) -> tuple[int, str | None]:
    query = sql.SQL("SELECT count(*), md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))) FROM {} t")
    row = connection.execute(query.format(sql.Identifier(table))).fetchone()
    assert row is not None
    return row


def quiet_instant(server: EmbeddedPostgres) -> tuple[datetime, Digests]:
    """An instant before and after which nothing changed for a moment, though the stack works by itself."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        before, instant = digests(server), datetime.now(UTC)
        if before["embedding_jobs"][0] == 0 and digests(server) == before:
            return instant, before
    raise AssertionError("the stack never came to rest")


def test_a_point_in_time_is_restored_with_equal_counts_and_hashes_by_the_documented_commands() -> None:
    with data_directory() as data_dir:
        backup_dir = data_dir.parent / "backups"
        directories = (f"--backup-dir={backup_dir}", f"--data-dir={data_dir}")
        with running_stack(data_dir, *hashing(), directories[0]) as stack:
            server = server_of(data_dir, stack.port_base)
            remember(stack, "written before the base backup")
            created = threengram("backup", "create", "--keep=2", directories[1])
            assert created.returncode == 0, created.stderr
            remember(stack, "written after it, and in the archive only")
            wanted, then = quiet_instant(server)
            remember(stack, "written by mistake")
            assert digests(server)["memories"] != then["memories"]
            assert "already runs on" in threengram("backup", "restore", *directories).stderr
            stop(stack.process)

        restored = threengram("backup", "restore", f"--to={wanted.isoformat()}", *directories)
        assert restored.returncode == 0, restored.stderr
        assert restored.stdout.splitlines()[0].endswith(": 2 memories")
        with running(server.command(), server.accepts_connections):
            assert digests(server) == then
        assert then["memories"][0] == 2
        assert len(list(data_dir.glob("before-restore-*/postgres"))) == 1
        assert server_of(data_dir, stack.port_base) == server

        future = threengram("backup", "restore", "--to=2999-01-01T00:00:00Z", *directories)
        assert "the archive ends before 2999" in future.stderr
        assert len(threengram("backup", "list", directories[0]).stdout.splitlines()) == 1
