"""Service processes on inherited sockets, and what they said."""

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

PROBE = Path(__file__).with_name("probe_service.py")
PATIENCE_S = 60.0


def listening() -> socket.socket:
    """A listening socket on a free loopback port."""
    return socket.create_server(("127.0.0.1", 0))


def address(listener: socket.socket) -> str:
    """The base URL of a listening socket."""
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


@dataclass
class Service:
    """One running process. Output goes to a file, so that a full pipe can't block it."""

    process: subprocess.Popen[bytes]
    url: str
    admin_url: str
    output_path: Path

    @property
    def output(self) -> str:
        """Everything written so far, on both streams."""
        return self.output_path.read_text()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The log so far; fails when any complete line isn't a JSON object."""
        return [json.loads(line) for line in self.output.splitlines(keepends=True) if line.endswith("\n")]

    def events(self, name: str) -> list[dict[str, Any]]:
        """The log lines of one event."""
        return [line for line in self.lines if line["event"] == name]

    def is_ready(self) -> bool:
        """Whether `/readyz` answers 200."""
        try:
            return httpx2.get(f"{self.admin_url}/readyz", timeout=10, trust_env=False).status_code == 200
        except httpx2.TransportError:
            return False

    def ended(self) -> int:
        """The exit code, within `PATIENCE_S`."""
        return self.process.wait(PATIENCE_S)


@contextlib.contextmanager
def service(
    argv: tuple[str, ...], prefix: str, directory: Path, listener: socket.socket, **variables: str
) -> Iterator[Service]:
    """A process that serves on `listener`, whose descriptor it inherits; killed at the end if it still runs."""
    output_path = directory / f"output-{time.monotonic_ns()}"
    with listening() as admin, output_path.open("wb") as output:
        environment = {
            f"{prefix}LISTEN_FD": str(listener.fileno()),
            f"{prefix}ADMIN_LISTEN_FD": str(admin.fileno()),
            **{f"{prefix}{name.upper()}": value for name, value in variables.items()},
        }
        process = subprocess.Popen(
            (sys.executable, "-W", "always", *argv),
            env=environment,
            pass_fds=(listener.fileno(), admin.fileno()),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield Service(process, address(listener), address(admin), output_path)
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def probe(directory: Path, listener: socket.socket, **variables: str) -> Iterator[Service]:
    """The probe service, not necessarily ready yet."""
    with service((str(PROBE),), "THREENGRAM_PROBE_", directory, listener, **variables) as running:
        yield running
