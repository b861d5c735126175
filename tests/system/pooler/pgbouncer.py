"""PgBouncer in transaction mode between services and PostgreSQL, as a process of its own on a loopback port.

Debian's, or another one that `TEST_PGBOUNCER` names; one that can follow prepared statements is told to.
"""

import contextlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.servers import account_directory, free_port, running
from tests.settings import ServerSettings
from threengram.cli.account import own, service_account
from threengram.cli.command import Command

PROGRAM = ServerSettings().test_pgbouncer or Path("/usr/sbin/pgbouncer")

CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={server_port}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
admin_users = {role}
pool_mode = transaction
default_pool_size = {pool_size}
max_client_conn = 500
query_wait_timeout = 60
"""
PREPARED = "max_prepared_statements = 200\n"


def follows_prepared_statements() -> bool:
    """Whether the program is 1.22 or later, which gives a statement that was prepared to whichever server runs it."""
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
    version = re.search(r"PgBouncer (\d+)\.(\d+)", said)
    return version is not None and (int(version[1]), int(version[2])) >= (1, 22)


@contextlib.contextmanager
def pgbouncer(database_url: str, *, pool_size: int) -> Iterator[str]:
    """The URL that leads to the same database through at most `pool_size` server connections.

    The server need not run yet. Role and password of the URL are those that clients and PgBouncer log in with.
    """
    if not PROGRAM.exists():
        raise FileNotFoundError(f"{PROGRAM} is missing: run tests/system/install.sh")
    parts = urlsplit(database_url)
    port = free_port()
    account = service_account()
    with account_directory() as directory:
        users, configuration = directory / "users.txt", directory / "pgbouncer.ini"
        users.write_text(f'"{parts.username}" "{parts.password}"\n')
        configuration.write_text(
            CONFIGURATION.format(
                server_port=parts.port, port=port, users=users, role=parts.username, pool_size=pool_size
            )
            + (PREPARED if follows_prepared_statements() else "")
        )
        for file in (users, configuration):
            file.chmod(0o600)
            own(file, account)
        command = Command(
            argv=(str(PROGRAM), str(configuration)),
            environment={"PATH": "/usr/bin:/bin"},
            directory=directory,
            account=account,
        )
        url = urlunsplit(parts._replace(netloc=f"{parts.username}:{parts.password}@127.0.0.1:{port}"))
        with running(command, lambda: _accepts_connections(url)):
            yield url


def _accepts_connections(url: str) -> bool:
    """Asks PgBouncer itself, since PostgreSQL may not be there yet."""
    try:
        psycopg.connect(console(url), connect_timeout=2, autocommit=True).close()
    except psycopg.OperationalError:
        return False
    return True


def console(url: str) -> str:
    """The URL of the administration console of the PgBouncer behind `url`."""
    return urlunsplit(urlsplit(url)._replace(path="/pgbouncer"))
