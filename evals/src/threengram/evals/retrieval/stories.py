"""What an evaluation tells the product and asks afterwards: memories of one life, and questions about it."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from threengram.core.scopes.resolution import DEFAULT_SCOPE
from threengram.schema.bounds import MAX_CONTENT_CHARS, MAX_TOPIC_CHARS
from threengram.schema.enums import MemoryType
from threengram.schema.revisions import EdgeIntent


class Split(StrEnum):
    """Which side of the fence a life is on: weights are fitted on train, thresholds on dev, floors hold on test."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


class Slice(StrEnum):
    """What makes a question hard. The last three are the names of the original's layout."""

    PARAPHRASE = "paraphrase"
    KEYWORD = "keyword"
    IDENTIFIER = "identifier"
    SHORT_NAME = "short_name"
    MULTI_EVIDENCE = "multi_evidence"
    TEMPORAL = "temporal"
    SUPERSESSION = "supersession"
    FILTERED = "filtered"
    CROSS_LANGUAGE = "cross_language"
    ABSTENTION = "abstention"
    RETRIEVAL = "retrieval"


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _as_list(value: object) -> object:
    return [] if value is None else [value] if isinstance(value, str) else value


class WrittenMemory(_Written):
    """One memory of a story. `replaces` names the memories it takes over from: one, or several that it merges."""

    id: str
    type: MemoryType
    topic: Annotated[str, Field(min_length=1, max_length=MAX_TOPIC_CHARS)]
    content: Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_CHARS)]
    created: date
    replaces: Annotated[list[str], BeforeValidator(_as_list)] = Field(default_factory=list)
    edge: EdgeIntent = EdgeIntent.SUPERSEDES
    project: str | None = None
    scope: str | None = None
    tags: list[str] = Field(default_factory=list)
    lang: str | None = None


class AsOfDates(_Written):
    """Noon of these days on the axes of time."""

    valid_at: date | None = None
    as_known_at: date | None = None


class Filter(_Written):
    """Filters of a search, days instead of instants."""

    memory_type: MemoryType | None = None
    project: str | None = None
    scope: str | None = None
    recorded_after: date | None = None
    recorded_before: date | None = None


class Question(_Written):
    """One query. `expected` are the memories that answer it: each of them is wanted where the slice asks for several
    pieces of evidence, otherwise one will do. `forbidden` must not stand above them. `near` marks an absent topic that
    shares a name or an identifier with what is there.
    """

    slice: Slice
    query: str
    expected: list[str]
    forbidden: list[str] = Field(default_factory=list)
    as_of: AsOfDates | None = None
    filter: Filter = Field(default_factory=Filter)
    lang: str | None = None
    near: bool = False

    @model_validator(mode="after")
    def _only_absent_topics_expect_nothing(self) -> Self:
        if (self.slice is Slice.ABSTENTION) == bool(self.expected):
            raise ValueError("a question of the slice abstention expects nothing, every other one something")
        return self

    @property
    def is_answerable(self) -> bool:
        """Whether some memory answers it."""
        return bool(self.expected)


class Life(_Written):
    """One tenant: everything in it was written together, so all of it is on one side of the split."""

    name: str
    split: Split
    language: str
    memories: list[WrittenMemory]
    questions: list[Question]

    @model_validator(mode="after")
    def _references_hold(self) -> Self:
        known: set[str] = set()
        for memory in self.memories:
            if memory.id in known:
                raise ValueError(f"{memory.id} stands twice")
            if unknown := set(memory.replaces) - known:
                raise ValueError(f"{memory.id} replaces {sorted(unknown)}, which is not written before it")
            known.add(memory.id)
        replaced = {older for memory in self.memories for older in memory.replaces}
        for question in self.questions:
            if question.is_answerable and question.as_of is None and replaced.issuperset(question.expected):
                raise ValueError(f"what answers {question.query!r} has been replaced; ask as of a date")
            if unknown := {*question.expected, *question.forbidden} - known:
                raise ValueError(f"a question names {sorted(unknown)}, which nobody wrote")
        return self

    def eligible(self, question: Question) -> set[str]:
        """The memories that the filter and the instant of a question leave in: whatever else comes back is wrong."""
        closed: dict[str, date] = {}
        for memory in self.memories:
            for older in memory.replaces:
                closed.setdefault(older, memory.created)
        narrowed, moment = question.filter, question.as_of or AsOfDates()
        bounds = [day for day in (narrowed.recorded_before, moment.valid_at, moment.as_known_at) if day is not None]
        return {
            memory.id
            for memory in self.memories
            if narrowed.memory_type in (None, memory.type)
            and narrowed.project in (None, memory.project)
            and narrowed.scope in (None, memory.scope or DEFAULT_SCOPE)
            and (narrowed.recorded_after is None or memory.created > narrowed.recorded_after)
            and all(memory.created <= day for day in bounds)
            and (moment.valid_at is None or closed.get(memory.id, date.max) > moment.valid_at)
        }

    @property
    def predecessors(self) -> dict[str, set[str]]:
        """For each memory everything it has taken over from, directly or through others."""
        found: dict[str, set[str]] = {}
        for memory in self.memories:
            found[memory.id] = {older for near in memory.replaces for older in {near, *found[near]}}
        return found
