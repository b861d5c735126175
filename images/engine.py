"""The Docker engine that images are built and run with: the one that answers, or one of our own without a bridge."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "build" / "engine"
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 30.0


class NoEngine(Exception):
    """Docker can't be used here; the message says why."""


@dataclass(frozen=True)
class Docker:
    """A client and the engine that it talks to."""

    client: str
    host: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """For child processes: which engine, and BuildKit where the client has it built in."""
        host = {} if self.host is None else {"DOCKER_HOST": self.host}
        return {**os.environ, **host, "DOCKER_BUILDKIT": "1"}  # noqa: TID251 (its children need PATH and proxies)

    def run(self, *arguments: str, timeout_s: float = 600.0, check: bool = True) -> str:
        """What `docker ARGUMENTS` prints. Raises `CalledProcessError` with its standard error."""
        done = subprocess.run(
            [self.client, *arguments],
            env=self.environment,
            text=True,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
        if check and done.returncode != 0:
            raise RuntimeError(
                f"docker {' '.join(arguments[:2])} failed:\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
            )
        return done.stdout.strip()

    def answers(self) -> bool:
        """Whether an engine is there."""
        return self.run("version", "--format={{.Server.Version}}", check=False, timeout_s=20) != ""


def client() -> str:
    """A Docker client that builds with BuildKit: with the buildx plug-in, or old enough to have it built in (< 23)."""
    found = [Path(folder) / "docker" for folder in os.get_exec_path()]
    for path in found:
        if os.access(path, os.X_OK) and _builds(path):
            return str(path)
    raise NoEngine("no docker client with BuildKit; on Debian: apt-get install docker.io")


def _builds(path: Path) -> bool:
    def succeeds(*arguments: str) -> str:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    if succeeds("buildx", "version"):
        return True
    said = succeeds("--version")  # Docker version 20.10.24+dfsg1, build …
    return said.startswith("Docker version ") and int(said.split()[2].partition(".")[0]) < 23


@contextlib.contextmanager
def engine(data: Path = DATA) -> Iterator[Docker]:
    """The engine that answers, or one that is started for the block on `data`; raises `NoEngine` when none can be."""
    given = Docker(client())
    if given.answers():
        yield given
        return
    daemon = shutil.which("dockerd")
    if daemon is None:
        raise NoEngine(
            "no Docker engine answers and there is no dockerd to start; on Debian: apt-get install docker.io"
        )
    data.mkdir(parents=True, exist_ok=True)
    # A socket's path has to be short, and the state of a run must not outlive it.
    with tempfile.TemporaryDirectory(prefix="threengram-engine-") as name:
        own = Docker(given.client, f"unix://{name}/docker.sock")
        with _started(daemon, data, Path(name), own):
            yield own


@contextlib.contextmanager
def _started(daemon: str, data: Path, directory: Path, docker: Docker) -> Iterator[None]:
    command = [
        daemon, "--iptables=false", "--bridge=none", f"--data-root={data}", f"--exec-root={directory / 'exec'}",
        f"--host={docker.host}", f"--pidfile={directory / 'pid'}",
    ]  # fmt: skip
    log = directory / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not docker.answers():
            if process.poll() is not None or time.monotonic() > deadline:
                raise NoEngine(f"dockerd did not start:\n{log.read_text()[-3000:]}")
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(STOP_TIMEOUT_S)
        # The network namespace of the host, which the daemon leaves mounted.
        for mounted in (directory / "exec" / "netns").glob("*"):
            subprocess.run(["umount", str(mounted)], check=False)
