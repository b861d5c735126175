"""Short memories with and without measurable claims, and whether the facts proposed for them are right.

A proposed fact is right when it is one of those a careful person would note down from that text: about the right
thing, of the right measure, with the right unit and value. Any other is wrong, and any at all where none is labelled:
what is denied, planned, asked, guessed, quoted, of a former time or holds on a condition is no fact.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from threengram.core.consolidation.claims import CLAIMING, Claim, claims_in
from threengram.core.lexical.folding import fold
from threengram.evals.pairs.measure import Share
from threengram.schema.enums import MemoryType


class SaidClaim(BaseModel):
    """A claim as it may be worded: `subject` and `measure` are parts of words of which one has to appear in subject or
    predicate, `unit` one of which the predicate has to name; `unitless` when it need not name one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: tuple[str, ...]
    measure: tuple[str, ...]
    unit: tuple[str, ...]
    unitless: bool
    value: tuple[str, ...]

    def admits(self, claim: Claim) -> bool:
        """Whether the proposed fact says this."""
        said = fold(f"{claim.subject} {claim.predicate}".replace("_", " "))
        units = re.split(r"[_. ]", fold(claim.predicate))
        has_unit = any(part == fold(unit) or part.startswith(fold(unit)) for unit in self.unit for part in units)
        return (
            any(fold(word) in said for word in self.subject)
            and any(fold(word) in said for word in self.measure)
            and (has_unit or self.unitless)
            and claim.value in self.value
        )


class Prose(BaseModel):
    """One memory; `kind` says what makes it hard, else `plain`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    lang: str
    type: MemoryType
    kind: str
    topic: str
    content: str
    claims: tuple[SaidClaim, ...]


@dataclass(frozen=True, slots=True)
class JudgedProse:
    """A memory with what was proposed for it."""

    prose: Prose
    proposed: tuple[Claim, ...]

    @property
    def wrong(self) -> tuple[Claim, ...]:
        """What a careful person would not note down."""
        return tuple(claim for claim in self.proposed if not any(one.admits(claim) for one in self.prose.claims))

    @property
    def found(self) -> int:
        """How many of the claims were proposed."""
        return sum(any(one.admits(claim) for claim in self.proposed) for one in self.prose.claims)


def load(path: Path) -> list[Prose]:
    """The memories of a file, in order."""
    return [Prose.model_validate_json(line) for line in path.read_text().splitlines() if line]


def judge(several: Iterable[Prose]) -> list[JudgedProse]:
    """Each memory as the job would handle it: types that claim nothing are not looked at."""
    return [
        JudgedProse(one, tuple(claims_in(one.topic, one.content)) if one.type in CLAIMING else ()) for one in several
    ]


def precision(judged: Sequence[JudgedProse]) -> Share:
    """Of the facts that were proposed, those that are right."""
    count = sum(len(one.proposed) for one in judged)
    return Share(count - sum(len(one.wrong) for one in judged), count)


def recall(judged: Sequence[JudgedProse]) -> Share:
    """Of the claims that are there in memories that may claim, those that were proposed."""
    claiming = [one for one in judged if one.prose.type in CLAIMING]
    return Share(sum(one.found for one in claiming), sum(len(one.prose.claims) for one in claiming))
