"""`resolve`: how commitments and blockers move on."""

from uuid import UUID

from pydantic import Field

from threengram.schema.base import Input, Output, present
from threengram.schema.enums import CommitmentStatus
from threengram.schema.identifiers import Id
from threengram.schema.instants import Instant
from threengram.schema.reading import Vocabulary


class ResolvableKind(Vocabulary):
    """What can be resolved."""

    COMMITMENT = "commitment"
    BLOCKER = "blocker"


class ResolveInput(Input):
    """Arguments of `resolve`."""

    memory_id: Id = Field(description="A commitment or a blocker")
    status: CommitmentStatus = Field(
        description="resolved: done; open: not done after all; waiting: on somebody else; expired: given up"
    )
    due_at: Instant | None = Field(
        default=None, description="Recurring commitments: the occurrence that is meant. Default: the present one"
    )
    session_run_id: Id | None = Field(default=None, description="The agent session this write belongs to")


class ResolveOutput(Output):
    """Where it stands now; `nextDueAt` when a recurring commitment goes on with its next occurrence."""

    kind: ResolvableKind
    memory_id: UUID
    commitment_id: UUID | None = present()
    status: CommitmentStatus
    next_due_at: Instant | None = present()
