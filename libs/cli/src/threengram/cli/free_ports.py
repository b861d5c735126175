"""Loopback ports that stay free from the moment when they are chosen until a server has bound them.

A port that the kernel names for port 0 is anybody's again before its server is up. These lie below those that it names,
in ranges of which each belongs to one process: to the one that holds the port behind it.
"""

import itertools
import socket
from collections.abc import Iterator

from threengram.cli.ports import SPAN

HOST = "127.0.0.1"
RANGES = range(10_000, 32_000, SPAN + 1)


def claim_range() -> int:
    """The first of `SPAN` ports that nobody listens on, this process's until it ends."""
    for base in RANGES:
        guard = socket.socket()
        try:
            guard.bind((HOST, base + SPAN))
        except OSError:
            guard.close()
            continue
        if all(_is_free(port) for port in range(base, base + SPAN)):
            guard.detach()  # Bound until this process ends.
            return base
        guard.close()
    raise RuntimeError("no range of free ports")


def free_port() -> int:
    """One that nobody listens on; another one each time, until a whole range has been given."""
    return next(_ports)


def _given() -> Iterator[int]:
    base = claim_range()
    for port in itertools.cycle(range(base, base + SPAN)):
        if _is_free(port):
            yield port


_ports = _given()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) != 0
