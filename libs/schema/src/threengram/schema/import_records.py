"""What an import reads out of an export: the records that it brings in, with the bounds of every other write.

Fields that a record has beside these are passed over, as the format promises; so are records of other kinds. What is
read has to be right: texts are normalised and bounded, ids and instants well formed.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, get_args
from uuid import UUID

from pydantic import ConfigDict, Field, StringConstraints, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from threengram.schema import bounds
from threengram.schema.base import Input
from threengram.schema.enums import (
    CommitmentStatus,
    EdgeType,
    MemoryStatus,
    MemoryType,
    ProposalRule,
    ProposalStatus,
    RejectionReason,
    RetrievalMode,
)
from threengram.schema.identifiers import Id
from threengram.schema.instants import Instant
from threengram.schema.memories import (
    Confidence,
    FactValue,
    Owner,
    Predicate,
    Project,
    Recurrence,
    ScopeName,
    Subject,
    Tag,
    Topic,
)
from threengram.schema.scopes import Aliases
from threengram.schema.text import NORMALISED

ImportedContent = Annotated[
    str, StringConstraints(min_length=1, max_length=bounds.MAX_IMPORT_CONTENT_CHARS), NORMALISED
]
_MAX_OCCURRENCES: Final = 1_000_000
_MAX_KIND_CHARS: Final = 64


class ImportRecord(Input):
    """One line. What the format may gain within its version is passed over."""

    model_config = ConfigDict(extra="ignore")

    record: str


class Tagged(ImportRecord):
    """A line as far as its kind."""

    record: Annotated[str, StringConstraints(min_length=1, max_length=_MAX_KIND_CHARS)]


class ImportBegins(ImportRecord):
    """The first line. A version that this release does not know may mean anything."""

    record: Literal["export"]
    format: Literal["threengram.export"]
    version: Literal[1]
    account_id: Id


class ImportedScope(ImportRecord):
    """A registered scope with its aliases."""

    record: Literal["scope"]
    id: Id
    name: ScopeName
    aliases: Aliases
    created_at: Instant


class ImportedMapping(ImportRecord):
    """A project that is filed into a scope."""

    record: Literal["scope_mapping"]
    project: Project
    scope: ScopeName
    created_at: Instant


class ImportedRetrievalPolicy(ImportRecord):
    """What a read without a scope means."""

    record: Literal["retrieval_policy"]
    mode: RetrievalMode
    scope: ScopeName | None
    updated_at: Instant

    @field_validator("scope")
    @classmethod
    def _scope_belongs_to_default(cls, scope: str | None, info: ValidationInfo) -> str | None:
        mode = info.data.get("mode")
        if mode is not None and (mode is RetrievalMode.DEFAULT) != (scope is not None):
            raise PydanticCustomError("scope_required", "Mode default needs a scope, no other mode takes one")
        return scope


class ImportedConsolidation(ImportRecord):
    """Whether memories are compared in the background."""

    record: Literal["consolidation"]
    is_enabled: bool
    changed_at: Instant


class _Lasting(ImportRecord):
    """Something valid for a time `[validFrom, validTo)`, or until further notice."""

    status: MemoryStatus
    valid_from: Instant
    valid_to: Instant | None

    @field_validator("valid_to")
    @classmethod
    def _validity_is_ordered(cls, value: Instant | None, info: ValidationInfo) -> Instant | None:
        valid_from = info.data.get("valid_from")
        if value is not None and valid_from is not None and value < valid_from:
            raise PydanticCustomError("validity_order", "validFrom must not be after validTo")
        return value

    @property
    def is_live(self) -> bool:
        """In use and valid."""
        return self.status is MemoryStatus.ACTIVE and self.valid_to is None


class ImportedMemory(_Lasting):
    """A memory as it stood when it was exported."""

    record: Literal["memory"]
    id: Id
    memory_type: MemoryType
    topic: Topic
    content: ImportedContent
    scope: ScopeName
    project: Project | None
    tags: Annotated[list[Tag], Field(max_length=bounds.MAX_TAGS)]
    recorded_at: Instant
    touched_at: Instant


class _Joining(ImportRecord):
    """An edge from a newer memory to an older one, or one that was proposed."""

    from_id: Id
    to_id: Id
    edge_type: EdgeType

    @field_validator("to_id")
    @classmethod
    def _joins_two(cls, value: UUID, info: ValidationInfo) -> UUID:
        if value == info.data.get("from_id"):
            raise PydanticCustomError("edge_to_itself", "An edge joins two memories")
        return value


class ImportedEdge(_Joining):
    """That memory `fromId`, the newer one, relates to `toId`."""

    record: Literal["memory_edge"]
    id: Id
    recorded_at: Instant
    retracted_at: Instant | None


class ImportedFact(_Lasting):
    """A measured value that a memory states."""

    record: Literal["fact"]
    id: Id
    memory_id: Id
    subject: Subject
    predicate: Predicate
    value: FactValue
    confidence: Confidence | None
    recorded_at: Instant

    @property
    def has_duration(self) -> bool:
        """Whether it is valid at any instant at all."""
        return self.valid_to is None or self.valid_to > self.valid_from


class ImportedCommitment(ImportRecord):
    """The obligation of a memory."""

    record: Literal["commitment"]
    id: Id
    memory_id: Id
    status: CommitmentStatus
    owner: Owner | None
    due_at: Instant | None
    recurrence: Recurrence | None
    recurs_from: Instant | None
    next_surfacing_at: Instant | None
    surfaced_at: Instant | None
    resolved_at: Instant | None
    recorded_at: Instant
    updated_at: Instant

    @model_validator(mode="after")
    def _recurrence_has_a_start(self) -> "ImportedCommitment":
        if self.recurrence is not None and (self.due_at is None or self.recurs_from is None):
            raise PydanticCustomError(
                "recurrence_needs_due", "A recurrence needs dueAt and recursFrom", {"field": "recurrence"}
            )
        return self


class ImportedOccurrence(ImportRecord):
    """An occurrence of a recurring commitment that is behind it."""

    record: Literal["commitment_occurrence"]
    commitment_id: Id
    occurrence_no: Annotated[int, Field(ge=1, le=_MAX_OCCURRENCES)]
    due_at: Instant
    status: CommitmentStatus
    next_due_at: Instant
    recorded_at: Instant
    reopened_at: Instant | None


class _Decided(ImportRecord):
    """A proposal with what became of it."""

    id: Id
    memory_type: MemoryType
    confidence: float | None
    status: ProposalStatus
    reason: RejectionReason | None
    decided_at: Instant | None
    created_at: Instant

    @model_validator(mode="after")
    def _decision_is_whole(self) -> "_Decided":
        if (self.status is ProposalStatus.REJECTED) != (self.reason is not None):
            raise PydanticCustomError("decision", "A reason stands with every rejection only", {"field": "reason"})
        if (self.status is ProposalStatus.PROPOSED) != (self.decided_at is None):
            raise PydanticCustomError("decision", "decidedAt stands with every decision", {"field": "decidedAt"})
        return self


class ImportedEdgeProposal(_Decided, _Joining):
    """A proposed edge."""

    record: Literal["edge_proposal"]
    similarity: Annotated[float, Field(ge=-1, le=1)]
    proposal_rule: ProposalRule | None


class ImportedFactProposal(_Decided):
    """A proposed fact."""

    record: Literal["fact_proposal"]
    memory_id: Id
    subject: Subject
    predicate: Predicate
    value: FactValue
    valid_from: Instant | None
    valid_to: Instant | None

    @field_validator("valid_to")
    @classmethod
    def _validity_is_ordered(cls, value: Instant | None, info: ValidationInfo) -> Instant | None:
        valid_from = info.data.get("valid_from", value)
        if value is not None and (valid_from is None or value < valid_from):
            raise PydanticCustomError("validity_order", "validTo needs a validFrom that is not after it")
        return value


class ImportEnds(ImportRecord):
    """The last line."""

    record: Literal["end"]
    counts: dict[str, int]


IMPORT_RECORDS: Final[tuple[type[ImportRecord], ...]] = (
    ImportBegins,
    ImportedScope,
    ImportedMapping,
    ImportedRetrievalPolicy,
    ImportedConsolidation,
    ImportedMemory,
    ImportedEdge,
    ImportedFact,
    ImportedCommitment,
    ImportedOccurrence,
    ImportedEdgeProposal,
    ImportedFactProposal,
    ImportEnds,
)
"""The kinds that are read."""


def kind_read(record: type[ImportRecord]) -> str:
    """What `record` says of records of this class."""
    (kind,) = get_args(record.model_fields["record"].annotation)
    return str(kind)


_FORMS: Final[Mapping[str, type[ImportRecord]]] = {kind_read(record): record for record in IMPORT_RECORDS}


def import_record_of(line: bytes) -> ImportRecord:
    """The record in a line, of its own class if the kind is one that is read, else a `Tagged`.

    Raises `pydantic.ValidationError`, whose paths are those of the record's fields.
    """
    tagged = Tagged.parse(line)
    form = _FORMS.get(tagged.record)
    return tagged if form is None else form.parse(line)
