"""Sets written by somebody who had not seen the rules: pairs and prose, measured before any rule was changed for them.

Once a class of mistakes has been mended after them they are no longer held out, but remain a gate; a later set takes
their place. Which is which, and what each gave when it was first measured, is in `docs/evals.md`.
"""

import hashlib
import math
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from threengram.evals.pairs import measure, prose
from threengram.evals.pairs.floors import LEAST_PRECISION
from threengram.evals.pairs.labelled import LabelledPair
from threengram.evals.pairs.measure import Judged, Share
from threengram.evals.pairs.prose import JudgedProse

DATA = Path(__file__).parents[4] / "data" / "held"
SETS = ("first", "second", "third", "fourth", "fifth", "sixth")
_HEAD = "# Floors of the held sets. Raise them with `make eval ARGS=--raise-floors`, not by hand.\n"


class HeldFloors(BaseModel):
    """Of one set, whose files have this digest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    supersedes_precision: float = Field(ge=LEAST_PRECISION, le=1)
    supersedes_recall: float = Field(ge=0, le=1)
    facts_precision: float = Field(ge=LEAST_PRECISION, le=1)
    facts_recall: float = Field(ge=0, le=1)


@dataclass(frozen=True, slots=True)
class Held:
    """A set with what the rules make of it."""

    name: str
    pairs: Sequence[Judged]
    prose: Sequence[JudgedProse]

    @classmethod
    def judged(cls, name: str) -> Self:
        """Read and judged."""
        lines = _path(name, "pairs").read_text().splitlines()
        pairs = [LabelledPair.model_validate_json(line) for line in lines if line]
        return cls(name, measure.judge(pairs), prose.judge(prose.load(_path(name, "prose"))))

    @property
    def shares(self) -> dict[str, Share]:
        """What the floors are about, by name."""
        return {
            "supersedes_precision": measure.precision(self.pairs),
            "supersedes_recall": measure.recall(self.pairs),
            "facts_precision": prose.precision(self.prose),
            "facts_recall": prose.recall(self.prose),
        }

    @property
    def wrong(self) -> list[str]:
        """Ids of pairs that would be superseded falsely, and of prose with a wrong fact."""
        return [one.pair.id for one in measure.false(self.pairs)] + [one.prose.id for one in self.prose if one.wrong]

    @property
    def digest(self) -> str:
        """Stands for the very files that the floors were recorded on."""
        return hashlib.sha256(b"".join(_path(self.name, kind).read_bytes() for kind in ("pairs", "prose"))).hexdigest()


def lines(several: Sequence[Held]) -> Iterator[str]:
    """The figures as a person reads them."""
    for held in several:
        shares = ", ".join(f"{name.replace('_', ' ')} {share}" for name, share in held.shares.items())
        yield f"  held, {held.name}: {shares}"


def breaches(held: Held, floors: HeldFloors | None) -> list[str]:
    """What is below its floor, one sentence each."""
    if floors is None or floors.digest != held.digest:
        return [f"the held set {held.name} is not the one of its floors: raise the floors, and say what changed"]
    return [
        f"{name} of the held set {held.name} is {share}, below its floor of {getattr(floors, name):.4f}"
        for name, share in held.shares.items()
        if share.value < getattr(floors, name)
    ]


def load_floors() -> dict[str, HeldFloors]:
    """The recorded floors by set."""
    path = DATA / "floors.toml"
    found = tomllib.loads(path.read_text()) if path.exists() else {}
    return {name: HeldFloors.model_validate(values) for name, values in found.items()}


def raised(held: Held, floors: HeldFloors | None) -> HeldFloors:
    """What was reached, less the weight of one; precision never below the least. Never lower than it was."""
    before = floors if floors is not None and floors.digest == held.digest else None
    values = {
        name: max(
            LEAST_PRECISION if name.endswith("precision") else 0.0,
            0.0 if before is None else getattr(before, name),
            math.floor((share.right - 1) / share.count * 10_000) / 10_000 if share.count else 0.0,
        )
        for name, share in held.shares.items()
    }
    return HeldFloors(digest=held.digest, **values)


def save_floors(floors: dict[str, HeldFloors]) -> None:
    """Write them."""
    (DATA / "floors.toml").write_text(_HEAD + "\n".join(_as_toml(name, one) for name, one in floors.items()))


def _as_toml(name: str, floors: HeldFloors) -> str:
    shares = floors.model_dump(exclude={"digest"})
    rows = (f'digest = "{floors.digest}"', *(f"{key} = {value:.4f}" for key, value in shares.items()))
    return f"[{name}]\n" + "\n".join(rows) + "\n"


def _path(name: str, kind: str) -> Path:
    return DATA / f"{name}-{kind}.jsonl"
