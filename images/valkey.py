"""Valkey in a container: a bounded, volatile cache and doorbell with the password VALKEY_PASSWORD, at LISTEN and PORT.

`ready` as the only argument asks the server beside it whether it answers to that password.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from threengram.cli.binaries import valkey_program
from threengram.cli.embedded_valkey import EmbeddedValkey

DATA = Path("/data")


def server_of(environment: Mapping[str, str]) -> EmbeddedValkey:
    """The server that the environment describes."""
    return EmbeddedValkey(
        directory=DATA,
        program=valkey_program(DATA, None),
        port=int(environment.get("PORT", "6379")),
        password=environment["VALKEY_PASSWORD"],
        bind=environment.get("LISTEN", "*"),
        max_memory=environment.get("MAX_MEMORY", "256mb"),
    )


def serve(server: EmbeddedValkey) -> None:
    """Become the server, its configuration on standard input; does not return."""
    command = server.command()
    readable, writable = os.pipe()
    # Smaller than the buffer of a pipe, so nobody has to read yet.
    os.write(writable, command.stdin)
    os.close(writable)
    os.dup2(readable, sys.stdin.fileno())
    os.execve(command.argv[0], command.argv, dict(command.environment))  # noqa: S606 (our own program and options)


if __name__ == "__main__":
    described = server_of(os.environ)  # noqa: TID251 (this is the settings of the container)
    if sys.argv[1:] == ["ready"]:
        sys.exit(0 if described.accepts_connections() else 1)
    serve(described)
