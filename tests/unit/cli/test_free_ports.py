"""Ports for servers of tests and evaluations: nobody else takes them, in this process or another one."""

import socket
import subprocess
import sys

from threengram.cli.free_ports import claim_range, free_port
from threengram.cli.ports import SPAN

CLAIM = "from threengram.cli.free_ports import claim_range; print(claim_range(), flush=True); input()"


def test_a_range_belongs_to_one_process() -> None:
    mine = {claim_range(), claim_range()}
    with subprocess.Popen([sys.executable, "-c", CLAIM], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        theirs = int(other.stdout.readline())
        other.stdin.close()
    assert len(mine) == 2
    assert all(abs(theirs - base) > SPAN for base in mine)


def test_a_port_is_given_once_and_not_while_somebody_listens_on_it() -> None:
    first = free_port()
    with socket.create_server(("127.0.0.1", first + 1)):
        second = free_port()
    assert second not in (first, first + 1)
