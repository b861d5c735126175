"""Writing and reading single memories: `remember`, `get_memories`, and the shapes they share."""

from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import Field, StringConstraints, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.enums import CommitmentStatus, EdgeType, EmbeddedState, MemoryStatus, MemoryType
from threengram.schema.identifiers import Id
from threengram.schema.instants import Instant
from threengram.schema.text import NORMALISED

Topic = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_TOPIC_CHARS), NORMALISED]
Content = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_CONTENT_CHARS), NORMALISED]
Project = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_PROJECT_CHARS), NORMALISED]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_TAG_CHARS), NORMALISED]
Owner = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_OWNER_CHARS), NORMALISED]
Recurrence = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_RECURRENCE_CHARS), NORMALISED]
Subject = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_SUBJECT_CHARS), NORMALISED]
Predicate = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_PREDICATE_CHARS), NORMALISED]
FactValue = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_VALUE_CHARS), NORMALISED]
ScopeName = Annotated[
    str, StringConstraints(min_length=1, max_length=bounds.MAX_SCOPE_CHARS, pattern=r"^[a-z0-9][a-z0-9-]*$")
]
Confidence = Annotated[float, Field(ge=0, le=1)]


Scheduled = TypeVar("Scheduled")


def of_a_commitment(value: Scheduled, info: ValidationInfo) -> Scheduled:
    """`value`, unless it is there for another type; a type that is refused itself is reported by itself."""
    if value is not None and info.data.get("memory_type", MemoryType.COMMITMENT) is not MemoryType.COMMITMENT:
        raise PydanticCustomError("commitment_only", "Belongs to commitments only")
    return value


class NewFact(Input):
    """One measurable claim that a memory states."""

    subject: Subject = Field(description="What it is about: lift.back_squat")
    predicate: Predicate = Field(description="What is measured, unit included: top_set.weight_kg")
    value: FactValue = Field(description="Text, one measure: 98")
    confidence: Confidence | None = None
    valid_from: Instant | None = Field(default=None, description="Default now")
    valid_to: Instant | None = Field(default=None, description="Needs validFrom")

    @field_validator("valid_to")
    @classmethod
    def _interval_is_ordered(cls, value: Instant | None, info: ValidationInfo) -> Instant | None:
        if value is None or "valid_from" not in info.data:
            return value
        valid_from = info.data["valid_from"]
        if valid_from is None:
            raise PydanticCustomError("fact_interval", "validTo needs validFrom")
        if value < valid_from:
            raise PydanticCustomError("fact_interval", "validFrom must not be after validTo")
        return value


class RememberInput(Input):
    """Arguments of `remember`."""

    memory_type: MemoryType
    topic: Topic = Field(description="A short title; weighs more than the content in search")
    content: Content = Field(description="One atom, complete in itself")
    scope: ScopeName | None = Field(default=None, description="Default: the project's mapped scope, else personal")
    project: Project | None = None
    tags: Annotated[list[Tag], Field(max_length=bounds.MAX_TAGS)] = Field(default_factory=list)
    facts: Annotated[list[NewFact], Field(max_length=bounds.MAX_FACTS_PER_WRITE)] = Field(
        default_factory=list, description="Measurable claims of this memory, read back by get_facts"
    )
    due_at: Instant | None = Field(default=None, description="Commitments only")
    owner: Owner | None = Field(default=None, description="Commitments only: who has to do it")
    recurrence: Recurrence | None = Field(default=None, description="Commitments only: an RFC 5545 RRULE; needs dueAt")
    session_run_id: Id | None = Field(default=None, description="The agent session this write belongs to")

    @field_validator("due_at", "owner", "recurrence")
    @classmethod
    def _schedule_belongs_to_a_commitment(cls, value: Scheduled, info: ValidationInfo) -> Scheduled:
        return of_a_commitment(value, info)

    @field_validator("recurrence")
    @classmethod
    def _recurrence_has_a_start(cls, value: str | None, info: ValidationInfo) -> str | None:
        # An instant that is refused itself is not in the data.
        if value is not None and info.data.get("due_at", value) is None:
            raise PydanticCustomError("recurrence_needs_due", "A recurrence needs dueAt, its first occurrence")
        return value


class MemoryEcho(Output):
    """What was filed, and where."""

    id: UUID
    memory_type: MemoryType
    topic: str
    scope: str
    project: str | None


class Fact(Output):
    """One claim with its validity `[validFrom, validTo)` and the instant it was recorded."""

    id: UUID
    memory_id: UUID
    subject: str
    predicate: str
    value: str
    confidence: float | None
    valid_from: Instant
    valid_to: Instant | None
    recorded_at: Instant


class RememberOutput(Output):
    """The written memory; `factIds` and `facts` in the order they were given."""

    memory: MemoryEcho
    embedded: EmbeddedState
    commitment_id: UUID | None = present()
    fact_ids: list[UUID] | None = present()
    facts: list[Fact] | None = present()


class GetMemoriesInput(Input):
    """Arguments of `get_memories`."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=bounds.MAX_GET_IDS)]
    max_content_chars: Annotated[int, Field(ge=bounds.MIN_GET_CONTENT_CHARS, le=bounds.MAX_GET_CONTENT_CHARS)] = Field(
        default=bounds.DEFAULT_GET_CONTENT_CHARS,
        description=f"Bound per memory; ids x maxContentChars <= {bounds.MAX_GET_TOTAL_CHARS}",
    )

    @field_validator("max_content_chars")
    @classmethod
    def _total_is_bounded(cls, value: int, info: ValidationInfo) -> int:
        if len(info.data.get("ids", ())) * value > bounds.MAX_GET_TOTAL_CHARS:
            raise PydanticCustomError(
                "total_chars", "ids x maxContentChars must not exceed {limit}", {"limit": bounds.MAX_GET_TOTAL_CHARS}
            )
        return value


class SupersededBy(Output):
    """The memory that took over, one step away."""

    id: UUID
    edge_type: EdgeType


class MemoryRead(Output):
    """One memory in full, its content bounded. `contentLength` counts the stored code points."""

    id: UUID
    memory_type: MemoryType
    topic: str
    content: str
    content_length: int
    truncated: bool
    scope: str
    project: str | None
    tags: list[str]
    status: MemoryStatus
    superseded_by: SupersededBy | None
    commitment_status: CommitmentStatus | None = present()
    valid_from: Instant
    valid_to: Instant | None
    recorded_at: Instant


class GetMemoriesOutput(Output):
    """Newest first; ids that are unknown or not the caller's stand in `notFound`, in the order asked."""

    memories: list[MemoryRead]
    count: int
    not_found: list[UUID]


class MemoryResource(Output):
    """The body of `threengram://memory/{id}`: fields that never change once written."""

    id: UUID
    memory_type: MemoryType
    topic: str
    content: str
    content_length: int
    project: str | None
    recorded_at: Instant


class GetMemoryInput(Input):
    """Which memory to read whole."""

    id: Id
