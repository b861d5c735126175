"""Resolve every lock file: one for development, one per image.

Hashes are recorded, download addresses are not: a lock must not know where a mirror lives.
Run as `make lock`. An argument `--upgrade` is passed on to the resolver.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEMBERS = sorted(
    path.parent
    for pattern in (
        "libs/*/pyproject.toml",
        "services/*/pyproject.toml",
        "migrations/pyproject.toml",
        "evals/pyproject.toml",
    )
    for path in ROOT.glob(pattern)
)
IMAGES = ("services/gateway", "services/api", "services/embedder", "services/worker", "services/cimd", "migrations")


def compile_lock(output: str, *arguments: str) -> None:
    """Write `requirements/<output>.lock` from the given project files."""
    own = [f"--no-emit-package=threengram-{path.name}" for path in MEMBERS]
    subprocess.run(
        [
            Path(sys.executable).with_name("uv"),
            "pip", "compile", "--quiet", "--universal", "--python-version", "3.11",
            "--generate-hashes", "--no-emit-index-url", "--no-header", "--no-annotate",
            *own, *arguments, *sys.argv[1:],
            "--output-file", f"requirements/{output}.lock",
        ],
        cwd=ROOT,
        check=True,
    )  # fmt: skip


def main() -> None:
    """Every lock, the development one first so that images share its versions."""
    compile_lock("dev", "--group", "pyproject.toml:dev", "pyproject.toml")
    for member in IMAGES:
        compile_lock(Path(member).name, "--constraint", "requirements/dev.lock", f"{member}/pyproject.toml")
    for tools in ("bootstrap", "images", "servers"):
        compile_lock(tools, "--constraint", "requirements/dev.lock", f"requirements/{tools}.in")


if __name__ == "__main__":
    main()
