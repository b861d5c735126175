"""The product under measurement: `threengram up` as a process on a data directory and ports of its own."""

import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from threengram.cli import run_file, secrets
from threengram.cli.account import service_account
from threengram.cli.backends import EmbeddedBackends, runtime_url
from threengram.cli.layout import Layout
from threengram.cli.ports import Ports
from threengram.evals.bench.closed_loop import Process
from threengram.evals.bench.settings import MEASURED, environment

START_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 60.0
PROGRAM = str(Path(sys.executable).with_name("threengram"))
SERVED_BY_CHILDREN = frozenset({"postgres"})


class NotReady(RuntimeError):
    """`threengram up` ended or took too long."""


@dataclass(frozen=True)
class Product:
    """A stack that is ready; `start_s` is how long that took."""

    ports: Ports
    owner_url: str
    runtime_url: str
    data_dir: Path
    processes: tuple[Process, ...]
    start_s: float

    def token(self, email: str) -> str:
        """A new access token of the user with that address."""
        command = [PROGRAM, "token", f"--user={email}", f"--data-dir={self.data_dir}"]
        finished = subprocess.run(command, capture_output=True, text=True, check=True, timeout=STOP_TIMEOUT_S)  # noqa: S603
        return finished.stdout.strip()


@contextlib.contextmanager
def running(
    data_dir: Path, *, port_base: int, options: Sequence[str] = (), settings: Mapping[str, str] = MEASURED
) -> Iterator[Product]:
    """The product, from the moment that everything is ready until it has stopped again."""
    log = data_dir.with_suffix(".log")
    ready_file = data_dir.with_suffix(".ready.json")
    command = [
        PROGRAM, "up", "--no-color", f"--data-dir={data_dir}", f"--port-base={port_base}", f"--ready-file={ready_file}",
        *options,
    ]  # fmt: skip
    started = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment(settings)
        )
        try:
            _await_file(ready_file, process, log)
            yield _product(data_dir, port_base, run_file.read(ready_file).pids, time.monotonic() - started)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(STOP_TIMEOUT_S)


@contextlib.contextmanager
def data_directory(kept: Path | None) -> Iterator[Path]:
    """The data directory to use: `kept`, or one that is removed at the end, where the service account can reach it."""
    if kept is not None:
        yield kept.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="threengram-bench-") as name:
        Path(name).chmod(0o711)
        yield Path(name) / "data"


def _product(data_dir: Path, port_base: int, pids: dict[str, int | list[int]], start_s: float) -> Product:
    ports = Ports(port_base)
    known = secrets.load(Layout(data_dir).secrets)
    owner_url = EmbeddedBackends(Layout(data_dir), ports, known, service_account()).postgres().owner_url
    processes = [
        Process(name, pid, has_children=name in SERVED_BY_CHILDREN)
        for name, found in pids.items()
        for pid in (found if isinstance(found, list) else [found])
    ]
    return Product(
        ports, owner_url, runtime_url(owner_url, known.runtime_password), data_dir, tuple(processes), round(start_s, 2)
    )


def _await_file(ready_file: Path, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not ready_file.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            raise NotReady("threengram up did not become ready:\n" + log.read_text()[-2000:])
        time.sleep(0.02)
