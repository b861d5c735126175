"""What a person looks at: lists of memories, the names in use, the history of one memory, counts."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field, StringConstraints, ValidationInfo, field_validator

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.enums import ActorKind, CommitmentStatus, EdgeType, EventKind, MemoryStatus, MemoryType
from threengram.schema.identifiers import Id
from threengram.schema.instants import Instant
from threengram.schema.memories import Fact, Project, ScopeName, Tag
from threengram.schema.reading import Vocabulary
from threengram.schema.search import Cursor, Projection, not_before_recorded_after
from threengram.schema.text import NORMALISED


def _as_list(value: Any) -> Any:
    return value if value is None or isinstance(value, list) else [value]


ONE_OR_MORE = BeforeValidator(_as_list)
"""A parameter of a query string that may be repeated: given once, it is a list of one."""


class LifecycleState(Vocabulary):
    """In use; put away; closed by a successor; closed by anything else, such as the resolution of a blocker."""

    CURRENT = "current"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    HISTORICAL = "historical"


class ListingStatus(Vocabulary):
    """Which memories a list shows: those in use, those put away (settled blockers too), superseded ones, all."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    ALL = "all"


class ListMemoriesInput(Input):
    """Filters and page of a list of memories."""

    memory_types: Annotated[
        list[MemoryType] | None, Field(min_length=1, max_length=bounds.MAX_MEMORY_TYPES_FILTER), ONE_OR_MORE
    ] = Field(default=None, description="Any of these; repeat the parameter")
    scope: ScopeName | None = None
    project: Annotated[
        list[Project] | None, Field(min_length=1, max_length=bounds.MAX_PROJECTS_FILTER), ONE_OR_MORE
    ] = Field(default=None, description="Any of these; repeat the parameter")
    tag: Tag | None = None
    status: ListingStatus = ListingStatus.ACTIVE
    recorded_after: Instant | None = Field(default=None, description="Inclusive")
    recorded_before: Instant | None = Field(default=None, description="Inclusive; not before recordedAfter")
    limit: Annotated[int, Field(ge=1, le=bounds.MAX_LISTED, strict=False)] = bounds.DEFAULT_LISTED
    projection: Projection = Field(default=Projection.COMPACT, description="full: with an excerpt of the content")
    cursor: Cursor | None = Field(default=None, description="nextCursor of the same filters")

    @field_validator("recorded_before")
    @classmethod
    def _range_is_ordered(cls, value: Instant | None, info: ValidationInfo) -> Instant | None:
        return not_before_recorded_after(value, info)


class ListedMemory(Output):
    """One row of a list. `content` is an excerpt, present in the projection full only."""

    id: UUID
    memory_type: MemoryType
    topic: str
    content: str | None = present()
    content_length: int | None = present()
    truncated: bool | None = present()
    scope: str
    project: str | None
    tags: list[str]
    status: MemoryStatus
    state: LifecycleState
    commitment_status: CommitmentStatus | None = present()
    recorded_at: Instant


class ListMemoriesOutput(Output):
    """One page, newest first."""

    memories: list[ListedMemory]
    count: int
    has_more: bool
    next_cursor: str | None = present()


class ListFacetsInput(Input):
    """Names in use that begin with `prefix`, upper and lower case alike."""

    prefix: Annotated[str, StringConstraints(max_length=bounds.MAX_PROJECT_CHARS), NORMALISED] = ""


class ListFacetsOutput(Output):
    """Scopes and projects of memories in use, by name; at most 100 of each, with their exact totals."""

    scopes: list[str]
    projects: list[str]
    total_scopes: int
    total_projects: int
    has_more: bool


class HistoryInput(Input):
    """Which memory."""

    id: Id


class MemoryIdentity(Output):
    """What a memory is and how it stands."""

    id: UUID
    memory_type: MemoryType
    topic: str
    scope: str
    project: str | None
    status: MemoryStatus
    state: LifecycleState
    valid_from: Instant
    valid_to: Instant | None
    recorded_at: Instant


class LineageNode(Output):
    """A memory connected with the one asked about, `distance` edges away."""

    id: UUID
    memory_type: MemoryType
    topic: str
    state: LifecycleState
    recorded_at: Instant
    distance: int


class LineageEdge(Output):
    """From the newer memory to the older one."""

    id: UUID
    from_id: UUID
    to_id: UUID
    edge_type: EdgeType
    created_by: ActorKind
    created_at: Instant


class Lineage(Output):
    """What is connected by standing edges, nearest first; `truncated` when there is more."""

    nodes: list[LineageNode]
    edges: list[LineageEdge]
    truncated: bool


class Relationship(Output):
    """The memory at the other end of one edge."""

    id: UUID
    edge_type: EdgeType


class DirectRelationships(Output):
    """Older memories that this one points to, newer ones that point to it."""

    predecessors: list[Relationship]
    successors: list[Relationship]
    truncated: bool


class AuditEvent(Output):
    """One change. `details` holds ids, instants and states, never a text of the user."""

    id: UUID
    event_kind: EventKind
    actor_kind: ActorKind
    session_run_id: UUID | None = present()
    details: Mapping[str, str]
    created_at: Instant


class LifetimeVersion(Output):
    """What was on record about the memory's validity in `[recordedFrom, recordedTo)`."""

    version: int
    valid_from: Instant
    valid_to: Instant | None
    status: MemoryStatus
    recorded_from: Instant
    recorded_to: Instant | None


class HistoryOutput(Output):
    """The life of one memory; events and lifetimes newest first."""

    memory: MemoryIdentity
    lineage: Lineage
    direct_relationships: DirectRelationships
    audit_events: list[AuditEvent]
    events_truncated: bool
    lifetimes: list[LifetimeVersion]
    lifetimes_truncated: bool


class StatsInput(Input):
    """No arguments."""


class MemoryDetailsInput(Input):
    """Which memory."""

    id: Id


class CommitmentDetails(Output):
    """A promise as it stands: whose it is, when it is due, by which rule (RFC 5545) it comes again."""

    id: UUID
    status: CommitmentStatus
    owner: str | None
    due_at: Instant | None
    recurrence: str | None
    resolved_at: Instant | None


class MemoryDetailsOutput(Output):
    """What hangs on one memory: the facts that it states, those valid longest first, and its commitment."""

    facts: list[Fact]
    facts_truncated: bool
    commitment: CommitmentDetails | None
