"""Floors on the test pairs. They only rise; other pairs start a new version, with a reason in the commit."""

import math
import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from threengram.evals.pairs.labelled import DATA
from threengram.evals.pairs.measure import Share

PATH = DATA / "floors.toml"
LEAST_PRECISION = 0.95
LEAST_RECALL = 0.70
_HEAD = """# Floors of the pair gate, on the test pairs. Raise them with `make eval ARGS=--raise-floors`, not by hand.
"""


class Floors(BaseModel):
    """`digest` is that of the test pairs they were recorded on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    precision: float = Field(ge=LEAST_PRECISION, le=1)
    recall: float = Field(ge=LEAST_RECALL, le=1)


def load(path: Path = PATH) -> Floors:
    """The recorded floors."""
    return Floors.model_validate(tomllib.loads(path.read_text()))


def breaches(floors: Floors, digest: str, *, precision: Share, recall: Share) -> list[str]:
    """What is below its floor, one sentence each."""
    found = []
    if floors.digest != digest:
        found.append("the test pairs are not those of the floors: raise the floors, and say in the commit what changed")
    for name, share, floor in (("precision", precision, floors.precision), ("recall", recall, floors.recall)):
        if share.value < floor:
            found.append(f"{name} of supersedes is {share}, below its floor of {floor:.4f}")
    return found


def raised(floors: Floors, digest: str, *, precision: Share, recall: Share) -> Floors:
    """What was reached, less the weight of one pair; lower than before only for other pairs."""
    held = floors if floors.digest == digest else Floors(digest=digest, precision=LEAST_PRECISION, recall=LEAST_RECALL)
    return Floors(
        digest=digest,
        precision=max(held.precision, _allowed(precision)),
        recall=max(held.recall, _allowed(recall)),
    )


def save(floors: Floors, path: Path = PATH) -> None:
    """Write them."""
    lines = (f'digest = "{floors.digest}"', f"precision = {floors.precision:.4f}", f"recall = {floors.recall:.4f}")
    path.write_text(_HEAD + "\n".join(lines) + "\n")


def _allowed(share: Share) -> float:
    return math.floor((share.right - 1) / share.count * 10_000) / 10_000 if share.count else 0.0
