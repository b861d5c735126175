"""`handoff`: what another agent needs in order to go on."""

from uuid import UUID

from pydantic import Field

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.briefing import Reader, SectionLimit, Selected, Selector
from threengram.schema.enums import CommitmentStatus, MemoryType
from threengram.schema.instants import Instant


class HandoffInput(Input):
    """Arguments of `handoff`."""

    selector: Selector
    generated_for: Reader | None = Field(default=None, description="Who takes over; repeated in the answer")
    section_limit: SectionLimit = Field(default=bounds.DEFAULT_HANDOFF_LINES, description="Entries per section")


class HandoffMemory(Output):
    """A memory with an excerpt of its content."""

    id: UUID
    memory_type: MemoryType
    topic: str
    content: str
    content_length: int
    truncated: bool
    scope: str
    project: str | None


class HandoffCommitment(Output):
    """A commitment that is not settled, with an excerpt of its memory."""

    id: UUID
    memory_id: UUID
    topic: str
    status: CommitmentStatus
    due_at: Instant | None
    owner: str | None = present()
    content: str
    content_length: int
    truncated: bool
    scope: str
    project: str | None


class HandoffFact(Output):
    """A claim that is valid now; `truncated` when its value is an excerpt."""

    id: UUID
    memory_id: UUID
    subject: str
    predicate: str
    value: str
    truncated: bool
    valid_from: Instant
    recorded_at: Instant


class HandoffCounts(Output):
    """How many there are of each, exactly."""

    decisions: int
    preferences: int
    commitments: int
    blockers: int
    facts: int


class HandoffTruncated(Output):
    """Of which there are more than the answer holds."""

    decisions: bool
    preferences: bool
    commitments: bool
    blockers: bool
    facts: bool


class HandoffOutput(Output):
    """Everything as of `generatedAt`, newest first, commitments by when they come up. `notes` is reserved and empty."""

    selector: Selected
    generated_for: str | None
    generated_at: Instant
    decisions: list[HandoffMemory]
    preferences: list[HandoffMemory]
    commitments: list[HandoffCommitment]
    blockers: list[HandoffMemory]
    facts: list[HandoffFact]
    notes: list[str] = Field(default_factory=list)
    counts: HandoffCounts
    truncated: HandoffTruncated
    applied_scope: str | None = present()
