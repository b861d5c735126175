"""The labelled pairs: two memories of one scope and project each, and what the newer one is to the older one."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from threengram.core.consolidation.relation import Relation, Statement
from threengram.schema.enums import MemoryType

DATA = Path(__file__).parents[4] / "data" / "pairs"
SPLITS = ("dev", "test", "traps")
"""Rules are fitted on dev and hold their floors on test; in traps neither memory of a pair ever takes over."""

Text = Annotated[tuple[str, str], Field(description="topic, content")]


class LabelledPair(BaseModel):
    """`kind` says what makes a pair hard: the trap of a look-alike, `paraphrase`, `long`, or `plain`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    lang: str
    type: MemoryType
    relation: Relation
    kind: str
    older: Text
    newer: Text

    @property
    def statements(self) -> tuple[Statement, Statement]:
        """The older and the newer memory."""
        return Statement(self.type, *self.older), Statement(self.type, *self.newer)


class InvalidPairs(Exception):
    """The data can't be judged by."""


def load(split: str, data: Path = DATA) -> list[LabelledPair]:
    """The pairs of a split, in order."""
    lines = (data / f"{split}.jsonl").read_text().splitlines()
    return [LabelledPair.model_validate_json(line) for line in lines if line]


def check(splits: Sequence[Sequence[LabelledPair]]) -> None:
    """Raises `InvalidPairs` when an id is there twice, or a pair of texts in two splits."""
    pairs = [pair for split in splits for pair in split]
    if len({pair.id for pair in pairs}) < len(pairs):
        raise InvalidPairs("an id is there twice")
    if len({(pair.older, pair.newer) for pair in pairs}) < len(pairs):
        raise InvalidPairs("a pair of texts is there twice")


def digest(split: str, data: Path = DATA) -> str:
    """Stands for the very pairs that the floors were recorded on."""
    return hashlib.sha256((data / f"{split}.jsonl").read_bytes()).hexdigest()
