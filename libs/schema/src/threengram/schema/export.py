"""The export of an account: one JSON object a line (NDJSON), each a record that says in `record` what it is.

Whoever reads it ignores records and fields that it does not know: those are added within a version. `EXPORT_VERSION`
rises when something is taken away or gets another meaning. Every record refers only to records before it.
"""

from datetime import date
from typing import Any, Final, Literal
from uuid import UUID

from threengram.schema.base import Input, Output
from threengram.schema.enums import (
    AccountStatus,
    ActorKind,
    CommitmentStatus,
    EdgeType,
    EventKind,
    MemoryStatus,
    MemoryType,
    MeteredOperation,
    ProposalRule,
    ProposalStatus,
    RejectionReason,
    RetrievalMode,
)
from threengram.schema.instants import Instant

EXPORT_FORMAT: Final = "threengram.export"
EXPORT_VERSION: Final = 1


class ExportInput(Input):
    """No arguments: an export is everything."""


class ExportRecord(Output):
    """One line."""

    record: str


class ExportBegins(ExportRecord):
    """The first line: whose data follows, as of which instant."""

    record: Literal["export"] = "export"
    format: Literal["threengram.export"] = EXPORT_FORMAT
    version: Literal[1] = EXPORT_VERSION
    exported_at: Instant
    account_id: UUID
    account_name: str
    account_created_at: Instant


class ExportedUser(ExportRecord):
    """Somebody who has written into the account. `email` only of whoever asked for the export."""

    record: Literal["user"] = "user"
    id: UUID
    email: str | None
    status: AccountStatus
    created_at: Instant
    updated_at: Instant


class ExportedScope(ExportRecord):
    """A registered scope with its aliases."""

    record: Literal["scope"] = "scope"
    id: UUID
    name: str
    aliases: list[str]
    created_at: Instant


class ExportedMapping(ExportRecord):
    """A project that is filed into a scope."""

    record: Literal["scope_mapping"] = "scope_mapping"
    project: str
    scope: str
    created_at: Instant


class ExportedRetrievalPolicy(ExportRecord):
    """What a read without a scope means."""

    record: Literal["retrieval_policy"] = "retrieval_policy"
    mode: RetrievalMode
    scope: str | None
    updated_at: Instant


class ExportedConsolidation(ExportRecord):
    """Whether memories are compared in the background."""

    record: Literal["consolidation"] = "consolidation"
    is_enabled: bool
    changed_at: Instant


class ExportedSession(ExportRecord):
    """A run of an agent."""

    record: Literal["agent_session"] = "agent_session"
    id: UUID
    agent: str
    session_key: str
    project: str | None
    scope: str | None
    opened_at: Instant
    last_seen_at: Instant
    closed_at: Instant | None
    activation_epoch: int


class ExportedMemory(ExportRecord):
    """A memory with its whole content. `status`, `validFrom` and `validTo` are those of its current lifetime."""

    record: Literal["memory"] = "memory"
    id: UUID
    user_id: UUID
    memory_type: MemoryType
    topic: str
    content: str
    scope: str
    project: str | None
    tags: list[str]
    status: MemoryStatus
    valid_from: Instant
    valid_to: Instant | None
    recorded_at: Instant
    touched_at: Instant


class ExportedMemoryLifetime(ExportRecord):
    """What was known from `recordedFrom` to `recordedTo` about when a memory is valid; the current one is open."""

    record: Literal["memory_lifetime"] = "memory_lifetime"
    memory_id: UUID
    version: int
    valid_from: Instant
    valid_to: Instant | None
    status: MemoryStatus
    recorded_from: Instant
    recorded_to: Instant | None


class ExportedEdge(ExportRecord):
    """That memory `fromId`, the newer one, relates to `toId`; `retractedAt` once it was taken back."""

    record: Literal["memory_edge"] = "memory_edge"
    id: UUID
    from_id: UUID
    to_id: UUID
    edge_type: EdgeType
    created_by: ActorKind
    recorded_at: Instant
    retracted_at: Instant | None


class ExportedEvent(ExportRecord):
    """What happened to a memory. `details` holds ids, kinds and counts."""

    record: Literal["memory_event"] = "memory_event"
    id: UUID
    memory_id: UUID
    event_kind: EventKind
    actor_kind: ActorKind
    details: dict[str, Any]
    session_run_id: UUID | None
    recorded_at: Instant


class ExportedFact(ExportRecord):
    """A measured value that a memory states."""

    record: Literal["fact"] = "fact"
    id: UUID
    memory_id: UUID
    subject: str
    predicate: str
    value: str
    confidence: float | None
    status: MemoryStatus
    valid_from: Instant
    valid_to: Instant | None
    recorded_at: Instant
    changed_at: Instant


class ExportedFactLifetime(ExportRecord):
    """The same of a fact as `memory_lifetime` of a memory."""

    record: Literal["fact_lifetime"] = "fact_lifetime"
    fact_id: UUID
    version: int
    valid_from: Instant
    valid_to: Instant | None
    status: MemoryStatus
    recorded_from: Instant
    recorded_to: Instant | None


class ExportedCommitment(ExportRecord):
    """The obligation of a memory; a recurring one stands at its next occurrence."""

    record: Literal["commitment"] = "commitment"
    id: UUID
    memory_id: UUID
    status: CommitmentStatus
    owner: str | None
    due_at: Instant | None
    recurrence: str | None
    recurs_from: Instant | None
    next_surfacing_at: Instant | None
    surfaced_at: Instant | None
    resolved_at: Instant | None
    recorded_at: Instant
    updated_at: Instant


class ExportedOccurrence(ExportRecord):
    """An occurrence of a recurring commitment that is behind it."""

    record: Literal["commitment_occurrence"] = "commitment_occurrence"
    commitment_id: UUID
    occurrence_no: int
    due_at: Instant
    status: CommitmentStatus
    next_due_at: Instant
    recorded_at: Instant
    reopened_at: Instant | None


class ExportedEdgeProposal(ExportRecord):
    """A proposed edge and what became of it; `commitmentStatus` is what accepting it has settled."""

    record: Literal["edge_proposal"] = "edge_proposal"
    id: UUID
    from_id: UUID
    to_id: UUID
    edge_type: EdgeType
    memory_type: MemoryType
    similarity: float
    proposal_rule: ProposalRule | None
    confidence: float | None
    rationale: str | None
    status: ProposalStatus
    reason: RejectionReason | None
    edge_id: UUID | None
    commitment_status: CommitmentStatus | None
    decided_at: Instant | None
    created_at: Instant


class ExportedFactProposal(ExportRecord):
    """A proposed fact and what became of it."""

    record: Literal["fact_proposal"] = "fact_proposal"
    id: UUID
    memory_id: UUID
    subject: str
    predicate: str
    value: str
    confidence: float | None
    valid_from: Instant | None
    valid_to: Instant | None
    memory_type: MemoryType
    rationale: str | None
    status: ProposalStatus
    reason: RejectionReason | None
    fact_id: UUID | None
    decided_at: Instant | None
    created_at: Instant


class ExportedUsage(ExportRecord):
    """Calls of a metered provider on one day (UTC)."""

    record: Literal["metered_usage"] = "metered_usage"
    operation: MeteredOperation
    day: date
    calls: int
    input_tokens: int
    output_tokens: int


class ExportEnds(ExportRecord):
    """The last line. A file without it was cut off; `counts` has the number of records of every kind, zeros too."""

    record: Literal["end"] = "end"
    counts: dict[str, int]


EXPORT_RECORDS: tuple[type[ExportRecord], ...] = (
    ExportBegins,
    ExportedUser,
    ExportedScope,
    ExportedMapping,
    ExportedRetrievalPolicy,
    ExportedConsolidation,
    ExportedSession,
    ExportedMemory,
    ExportedMemoryLifetime,
    ExportedEdge,
    ExportedEvent,
    ExportedFact,
    ExportedFactLifetime,
    ExportedCommitment,
    ExportedOccurrence,
    ExportedEdgeProposal,
    ExportedFactProposal,
    ExportedUsage,
    ExportEnds,
)
"""Every kind of record, in the order in which they stand in the file."""


def kind_of(record: type[ExportRecord]) -> str:
    """What `record` says of records of this class."""
    kind: str = record.model_fields["record"].default
    return kind
