"""Corrections of single memories: `revise`, and putting one away or bringing it back."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.enums import EdgeType, EmbeddedState, MemoryStatus, MemoryType
from threengram.schema.identifiers import Id
from threengram.schema.instants import Instant
from threengram.schema.memories import (
    Content,
    Fact,
    MemoryEcho,
    NewFact,
    Owner,
    Project,
    Recurrence,
    Scheduled,
    ScopeName,
    Tag,
    Topic,
    of_a_commitment,
)
from threengram.schema.reading import Vocabulary


class EdgeIntent(Vocabulary):
    """What a successor says about its predecessor; either way the predecessor stops being valid."""

    SUPERSEDES = "supersedes"
    UPDATES = "updates"


class ReviseInput(Input):
    """Arguments of `revise`."""

    predecessor_id: Id = Field(description="The memory to correct; it stays readable")
    memory_type: MemoryType
    topic: Topic
    content: Content = Field(description="The corrected atom, complete in itself")
    edge_intent: EdgeIntent = Field(
        default=EdgeIntent.SUPERSEDES, description="supersedes: it was wrong or is over; updates: it moved on"
    )
    scope: ScopeName | None = Field(default=None, description="Default: the predecessor's")
    project: Project | None = Field(default=None, description="Default: the predecessor's")
    tags: Annotated[list[Tag], Field(max_length=bounds.MAX_TAGS)] | None = Field(
        default=None, description="Default: the predecessor's; [] for none"
    )
    facts: Annotated[list[NewFact], Field(max_length=bounds.MAX_FACTS_PER_WRITE)] = Field(
        default_factory=list, description="What is measured now; the predecessor's open facts end"
    )
    due_at: Instant | None = Field(default=None, description="Commitments only; default: unchanged")
    owner: Owner | None = Field(default=None, description="Commitments only; default: unchanged")
    recurrence: Recurrence | None = Field(
        default=None, description="Commitments only: an RFC 5545 RRULE; default: unchanged"
    )
    session_run_id: Id | None = Field(default=None, description="The agent session this write belongs to")

    @field_validator("due_at", "owner", "recurrence")
    @classmethod
    def _schedule_belongs_to_a_commitment(cls, value: Scheduled, info: ValidationInfo) -> Scheduled:
        return of_a_commitment(value, info)


class ReviseOutput(Output):
    """The successor, and the edge to its predecessor; `factIds` and `facts` in the order they were given."""

    memory: MemoryEcho
    embedded: EmbeddedState
    predecessor_id: UUID
    edge_type: EdgeType
    commitment_id: UUID | None = present()
    fact_ids: list[UUID] | None = present()
    facts: list[Fact] | None = present()


class ArchiveInput(Input):
    """Which memory to put away or to bring back."""

    memory_id: Id
    session_run_id: Id | None = None


class ArchiveOutput(Output):
    """Where the memory stands now."""

    memory_id: UUID
    status: MemoryStatus
