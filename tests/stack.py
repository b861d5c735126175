"""The whole product for tests: `threengram up` as a process, with the hashing embedder and ports of its own."""

import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from tests.servers import account_directory
from threengram.cli.free_ports import claim_range

START_TIMEOUT_S = 240.0
STOP_TIMEOUT_S = 120.0
SCRIPT = (sys.executable, "-c", "from threengram.cli.main import app; app()")


class RunningStack:
    """One `threengram up` that is ready."""

    def __init__(self, process: subprocess.Popen[bytes], ready_file: Path, log: Path, port_base: int) -> None:
        self.process = process
        self.ready_file = ready_file
        self.log = log
        self.port_base = port_base

    @property
    def record(self) -> dict[str, Any]:
        """What the ready file says now; a replaced process changes it."""
        content: dict[str, Any] = json.loads(self.ready_file.read_bytes())
        return content

    @property
    def data_dir(self) -> Path:
        return Path(self.record["dataDir"])


def threengram(*arguments: str, timeout_s: float = 240.0, typed: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of the console script to its end, with what is typed into it."""
    return subprocess.run(
        [*SCRIPT, *arguments], capture_output=True, text=True, timeout=timeout_s, check=False, input=typed
    )


@contextlib.contextmanager
def started(*arguments: str, output: IO[bytes] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A command of the console script that runs on; stopped at the end unless it has ended before."""
    process = subprocess.Popen(
        [*SCRIPT, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=output or subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        stop(process)


@contextlib.contextmanager
def running_stack(data_dir: Path, *options: str, port_base: int | None = None) -> Iterator[RunningStack]:
    """A stack on `data_dir` from the moment that everything is ready; stopped at the end unless it was before."""
    base = port_base or claim_range()
    with tempfile.TemporaryDirectory() as name:
        ready_file, log = Path(name) / "ready.json", Path(name) / "log"
        arguments = ("up", f"--data-dir={data_dir}", f"--port-base={base}", f"--ready-file={ready_file}", *options)
        with log.open("wb") as output, started(*arguments, output=output) as process:
            stack = RunningStack(process, ready_file, log, base)
            _await_ready(stack)
            yield stack


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask the supervisor to stop and wait for it; killed, with its children, if it takes too long."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def data_directory() -> Iterator[Path]:
    """A directory for a stack, in a place that the service account can reach."""
    with account_directory() as directory:
        yield directory / "data"


def hashing(*options: str) -> Sequence[str]:
    """The options of a stack that needs no model."""
    return ("--embedder=hash", "--no-color", *options)


def _await_ready(stack: RunningStack) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not stack.ready_file.exists():
        if stack.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"threengram up did not become ready:\n{stack.log.read_text()}")
        time.sleep(0.05)
