"""How two memories relate, and by which rule that was found."""

from dataclasses import dataclass
from enum import StrEnum

from threengram.schema.enums import MemoryType, ProposalRule


class Relation(StrEnum):
    """What the newer of two memories is to the older one."""

    IDENTICAL = "identical"
    NEWER_VALUE = "newer_value"
    ADDITIVE = "additive"
    UNRELATED = "unrelated"


class Silence(StrEnum):
    """Why nothing is proposed for a pair."""

    OTHER_TYPE = "other_type"
    OTHER_PROJECT = "other_project"
    OTHER_TOPIC = "other_topic"
    OTHER_SUBJECT = "other_subject"
    OTHER_MOOD = "other_mood"
    HAPPENING = "happening"
    NOTHING_FOUND = "nothing_found"


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory as far as the rules look at it."""

    memory_type: MemoryType
    topic: str
    content: str
    project: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A relation with its rule; `confidence` is between 0 and 1 and orders proposals, nothing more."""

    relation: Relation
    rule: ProposalRule | Silence
    confidence: float
