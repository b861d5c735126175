"""Containers for tests, run as the chart runs them: nobody's account, a read-only root, no capabilities."""

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from images.build import tag
from images.engine import Docker

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30
POLL_S = 0.1
HARDENED = ("--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--network=host")
LOOK_INSIDE = """
import importlib.metadata, importlib.util, json, os, pathlib, shutil
files = [path for path in pathlib.Path("/app").rglob("*") if path.is_file()]
bill = pathlib.Path("/app/sbom.cdx.json")
print(json.dumps({
    "uid": os.getuid(),
    "capabilities": pathlib.Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0],
    "installers": [name for name in ("pip", "uv", "ensurepip") if importlib.util.find_spec(name)],
    "programs": [name for name in ("sh", "pip", "pip3", "uv", "apt", "dpkg") if shutil.which(name)],
    "installed": sorted({found.name for found in importlib.metadata.distributions(path=["/app"])}),
    "listed": sorted(part["name"] for part in json.loads(bill.read_bytes())["components"]) if bill.exists() else None,
    "application_bytes": sum(path.lstat().st_size for path in files),
    "uncompiled": [str(path) for path in files if path.suffix == ".py" and path.name != "__main__.py"
                   and not pathlib.Path(importlib.util.cache_from_source(str(path))).exists()],
}))
"""


@dataclass(frozen=True)
class Container:
    """One that runs."""

    docker: Docker
    name: str

    @property
    def log(self) -> str:
        """Everything that it has written."""
        return self.docker.run("logs", self.name)

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        self.docker.run("stop", f"--time={STOP_TIMEOUT_S}", self.name)
        return int(self.docker.run("inspect", "--format={{.State.ExitCode}}", self.name))

    def is_running(self) -> bool:
        return self.docker.run("inspect", "--format={{.State.Running}}", self.name) == "true"


@contextlib.contextmanager
def container(
    docker: Docker, image: str, *command: str, environment: Mapping[str, str], options: tuple[str, ...] = ()
) -> Iterator[Container]:
    """A container of one of our images; removed at the end."""
    variables = [f"--env={name}={value}" for name, value in environment.items()]
    name = docker.run("run", "--detach", *HARDENED, *options, *variables, tag(image), *command)
    try:
        yield Container(docker, name)
    finally:
        docker.run("rm", "--force", "--volumes", name)


def await_ready(running: Container, admin_url: str) -> None:
    """Return once `/readyz` says so; fails with the log when the container ends or takes too long."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while not _answers(admin_url):
        assert running.is_running(), running.log
        assert time.monotonic() < deadline, running.log
        time.sleep(POLL_S)


def _answers(admin_url: str) -> bool:
    try:
        return httpx2.get(f"{admin_url}/readyz", trust_env=False, timeout=5).status_code == httpx2.codes.OK
    except httpx2.TransportError:
        return False


def look_inside(docker: Docker, image: str) -> dict[str, Any]:
    """What a process of the image finds around itself."""
    printed = docker.run("run", "--rm", *HARDENED, "--entrypoint=python3", tag(image), "-c", LOOK_INSIDE)
    seen: dict[str, Any] = json.loads(printed)
    return seen


def configuration(docker: Docker, image: str) -> dict[str, Any]:
    """User, labels, entry point and signal of the image."""
    content: dict[str, Any] = json.loads(docker.run("inspect", "--format={{json .Config}}", tag(image)))
    return content
