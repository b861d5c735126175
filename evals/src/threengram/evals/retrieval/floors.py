"""The gate: figures on the test lives that may rise and never fall.

A floor is what was measured when it was recorded, less the weight of one question: int8 kernels round differently on
different processors, and one question may tip. Of a large public set several may, and it is not part of the repository:
its floor holds where that very set was asked. Raising floors is a command; lowering one is refused by comparison with
every version of the file in the history. A new set of questions is a new `version`, whose floors start afresh.
"""

import math
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from threengram.evals.retrieval.golden import DATA
from threengram.evals.retrieval.metrics import Figure

PATH = DATA / "floors.toml"
GIT_TIMEOUT_S = 30
PUBLIC = "public "
"""How the names of figures of public sets begin; they say how many questions were asked."""
PUBLIC_SLACK = 0.005
_HEAD = """# Floors of the retrieval gate, on the test lives. They never fall. Raise them with
# `make eval ARGS=--raise-floors`, not by hand. When the questions change, `version` does too: the floors start afresh,
# with a reason in the commit.
"""


@dataclass(frozen=True)
class Floors:
    """`digest` is that of the golden set the floors were recorded on; `values` by the name of the figure."""

    version: int
    digest: str
    values: Mapping[str, float]


def parse(text: str) -> Floors:
    """The floors of one version of the file."""
    found = tomllib.loads(text)
    return Floors(found["golden"]["version"], found["golden"]["sha256"], found["floors"])


def render(floors: Floors) -> str:
    """The file for these floors."""
    lines = [f'"{name}" = {value:.4f}' for name, value in sorted(floors.values.items())]
    return (
        f'{_HEAD}\n[golden]\nversion = {floors.version}\nsha256 = "{floors.digest}"\n\n[floors]\n'
        + "\n".join(lines)
        + "\n"
    )


def below(floors: Floors, figures: Mapping[str, Figure]) -> list[str]:
    """What is under its floor, or has a floor and wasn't measured; one sentence each. Public sets may be missing."""
    found = []
    for name, floor in sorted(floors.values.items()):
        figure = figures.get(name)
        if figure is None and name.startswith(PUBLIC):
            continue
        if figure is None:
            found.append(f"{name} has a floor of {floor:.4f} and was not measured")
        elif figure.value < floor:
            found.append(f"{name} is {figure.value:.4f}, below its floor of {floor:.4f}")
    return found


def raised(floors: Floors, figures: Mapping[str, Figure]) -> Floors:
    """The floors that these figures allow; none is lower than before."""
    allowed = {name: max(floors.values.get(name, 0.0), _allowed(name, figure)) for name, figure in figures.items()}
    return Floors(floors.version, floors.digest, {**floors.values, **allowed})


def lowered(earlier: Floors, now: Floors) -> list[str]:
    """What `now` takes back of an earlier version, one sentence each; nothing when the questions are others."""
    if now.version > earlier.version:
        return []
    if now.version < earlier.version:
        return [f"version {now.version} was followed by {earlier.version} already"]
    found = [
        f"{name} was {value:.4f} and is {now.values.get(name, 0.0):.4f}"
        for name, value in sorted(earlier.values.items())
        if now.values.get(name, 0.0) < value
    ]
    if now.digest != earlier.digest:
        found.append(f"the questions changed under version {now.version}")
    return found


def history(path: Path = PATH) -> list[Floors]:
    """Every committed version of the file, newest first; none outside a git repository."""
    listed = _git(path, "log", "--format=%H", "--", path.name)
    commits = listed.split() if listed else []
    texts = [_git(path, "show", f"{commit}:./{path.name}") for commit in commits]
    return [parse(text) for text in texts if text]


def _allowed(name: str, figure: Figure) -> float:
    slack = PUBLIC_SLACK if name.startswith(PUBLIC) else 1 / figure.count
    return math.floor(round((figure.value - slack) * 10_000, 6)) / 10_000


def _git(path: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(path.parent), *arguments]
    try:
        finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=GIT_TIMEOUT_S)  # noqa: S603
    except FileNotFoundError:
        return None
    return finished.stdout if finished.returncode == 0 else None
