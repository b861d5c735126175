"""Build images: `python -m images.build [IMAGE...]`; all of them without an argument.

Packages come from where pip of this machine takes them. Its configuration reaches the build as a secret, so no image
and no file of the repository knows the address.
"""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from images import base
from images.engine import ROOT, Docker, engine

SERVICES = ("gateway", "api", "embedder", "worker", "cimd", "migrations")
SERVERS = ("postgres", "valkey")
PREFIX = "threengram"
BUILD_TIMEOUT_S = 900.0
AT_ONCE = 2
FORWARDED = ("index-url", "extra-index-url", "trusted-host", "timeout", "proxy")


def tag(image: str) -> str:
    """The name of an image here, such as `threengram/gateway`; its tag is the version of the release."""
    return f"{PREFIX}/{image}:{version()}"


def version() -> str:
    """The version of the release."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return str(content["project"]["version"])


def build(docker: Docker, *images: str) -> None:
    """Build images, two at a time; their base images first, where the engine has none."""
    bases: dict[str, Sequence[str]] = {"build": base.TOOLS, "base": ()}
    if set(images) & set(SERVERS):
        bases["shell"] = base.SHELL
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for made in [pool.submit(base.make, docker, f"{PREFIX}/{name}", extra) for name, extra in bases.items()]:
            made.result()
        for built in [pool.submit(_build_one, docker, image) for image in images]:
            built.result()


def _build_one(docker: Docker, image: str) -> None:
    with pip_secrets() as secrets:
        docker.run(
            "build", "--network=host", *secrets, *_arguments(image), f"--build-arg=VERSION={version()}",
            f"--build-arg=REVISION={revision()}", f"--tag={tag(image)}", str(ROOT), timeout_s=BUILD_TIMEOUT_S,
        )  # fmt: skip


def _arguments(image: str) -> Sequence[str]:
    if image in SERVERS:
        return (f"--file={ROOT / 'images' / 'servers.Dockerfile'}", f"--target={image}")
    member = ("--build-arg=MEMBER=migrations",) if image == "migrations" else ()
    return (f"--build-arg=SERVICE={image}", *member)


def revision() -> str:
    """The commit that is built, `-dirty` when the tree differs from it."""
    described = subprocess.run(
        ["git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return described.stdout.strip() or "unknown"


@contextmanager
def pip_secrets() -> Iterator[Sequence[str]]:
    """The build's options that hand over what pip is configured with here: indexes, time-out, certificates."""
    known = _pip_configuration()
    lines = [f"{name} = {known[name]}" for name in FORWARDED if name in known]
    options = []
    if "cert" in known:
        lines.append("cert = /run/secrets/ca")
        options.append(f"--secret=id=ca,src={known['cert']}")
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "pip.conf"
        file.write_text("\n".join(["[global]", *lines, ""]))
        yield (f"--secret=id=pip,src={file}", *options)


def _pip_configuration() -> dict[str, str]:
    """What pip says of itself, its environment last since it wins; a value of several words stays on its line."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    known: dict[str, str] = {}
    for line in sorted(listed.splitlines(), key=lambda line: line.startswith(":env:")):
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in {"global", "install", ":env:"}:
            known[name.replace("default-timeout", "timeout")] = " ".join(value.strip("'\"").replace("\\n", " ").split())
    return known


def main(images: Sequence[str]) -> None:
    """Build what is asked for with the engine that there is."""
    with engine() as docker:
        wanted = images or (*SERVICES, *SERVERS)
        build(docker, *wanted)
        print("\n".join(tag(image) for image in wanted))


if __name__ == "__main__":
    main(sys.argv[1:])
