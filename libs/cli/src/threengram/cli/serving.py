"""A server for the length of a block."""

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import IO

from threengram.cli.command import Command

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0
POLL_S = 0.02


@contextlib.contextmanager
def running(
    command: Command, is_ready: Callable[[], bool], *, output: IO[bytes] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The command's process from the moment it is ready; stopped at the end. Its output is shown if it never is."""
    with contextlib.ExitStack() as resources:
        log = output or resources.enter_context(tempfile.TemporaryFile())
        process = subprocess.Popen(  # noqa: S603 (our own programs and options)
            command.argv, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, **command.popen_options()
        )
        resources.callback(_stop, process, command)
        assert process.stdin is not None
        with process.stdin as stdin:
            stdin.write(command.stdin)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                log.seek(0)
                raise RuntimeError(f"{command.argv[0]} did not become ready:\n{log.read().decode()}")
            time.sleep(POLL_S)
        yield process


def _stop(process: subprocess.Popen[bytes], command: Command) -> None:
    process.send_signal(command.stop_signal)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
