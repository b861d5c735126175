"""PostgreSQL with pgvector in a container: the cluster is made at the first start, then this becomes the server.

Reads POSTGRES_PASSWORD (superuser), OWNER_PASSWORD (`threengram_owner`, who owns the database `threengram`), LISTEN and
PORT. `ready` as the only argument asks the server beside it whether the owner can open a session there.
"""

import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import psycopg

from threengram.cli.binaries import postgres_installation
from threengram.cli.embedded_postgres import EmbeddedPostgres
from threengram.cli.serving import running

DATA = Path("/data/postgres")
HBA = Path("/tmp/pg_hba.conf")  # noqa: S108 (a file system of this container alone)
TRUSTED_NETWORKS = "host all all all scram-sha-256\nhost replication all all scram-sha-256\n"


def server_of(environment: Mapping[str, str]) -> EmbeddedPostgres:
    """The cluster that the environment describes."""
    return EmbeddedPostgres(
        directory=DATA,
        installation=postgres_installation(DATA.parent, None),
        port=int(environment.get("PORT", "5432")),
        superuser_password=environment["POSTGRES_PASSWORD"],
        owner_password=environment["OWNER_PASSWORD"],
        settings={"listen_addresses": environment.get("LISTEN", "*"), "hba_file": str(HBA)},
    )


def serve(server: EmbeddedPostgres) -> None:
    """Make what is missing, then become the server; does not return."""
    HBA.write_text(TRUSTED_NETWORKS)
    server.create()
    # Until roles and database are there nobody shall find the server, so it is not at its place yet.
    hidden = replace(server, port=free_port(), settings={**server.settings, "listen_addresses": "127.0.0.1"})
    with running(hidden.command(), hidden.accepts_connections):
        hidden.bootstrap()
    command = server.command()
    os.execve(command.argv[0], command.argv, dict(command.environment))  # noqa: S606 (our own program and options)


def free_port() -> int:
    """A loopback port that nobody listened on a moment ago: the network may be the host's."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_ready(server: EmbeddedPostgres) -> bool:
    """Whether the owner gets a session."""
    try:
        psycopg.connect(server.owner_url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


if __name__ == "__main__":
    described = server_of(os.environ)  # noqa: TID251 (this is the settings of the container)
    if sys.argv[1:] == ["ready"]:
        sys.exit(0 if is_ready(described) else 1)
    serve(described)
