"""`search`: relevance with a coverage report, or an exhaustive chronological listing."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.enums import MemoryStatus, MemoryType, VectorCoverage
from threengram.schema.errors import FIELD
from threengram.schema.instants import Instant
from threengram.schema.memories import Project, ScopeName
from threengram.schema.reading import Vocabulary
from threengram.schema.text import NORMALISED

Query = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_QUERY_CHARS), NORMALISED]
Cursor = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_CURSOR_CHARS)]


class SearchOrder(Vocabulary):
    """By fused relevance, or newest first and complete."""

    RELEVANCE = "relevance"
    CHRONOLOGICAL = "chronological"


class Projection(Vocabulary):
    """With an excerpt of the content, or without."""

    FULL = "full"
    COMPACT = "compact"


def not_before_recorded_after(value: Instant | None, info: ValidationInfo) -> Instant | None:
    """`value` as the end of a window of recording, whose start is in the field before it."""
    after = info.data.get("recorded_after")
    if value is not None and after is not None and after > value:
        raise PydanticCustomError("recorded_range", "recordedAfter must not be after recordedBefore")
    return value


class AsOf(Input):
    """A point on the two axes of time; at least one of them."""

    valid_at: Instant | None = Field(default=None, description="What was true then")
    as_known_at: Instant | None = Field(default=None, description="What had been recorded by then")

    @model_validator(mode="after")
    def _names_an_axis(self) -> Self:
        if self.valid_at is None and self.as_known_at is None:
            raise PydanticCustomError("as_of_empty", "asOf needs validAt, asKnownAt or both")
        return self


class SearchInput(Input):
    """Arguments of `search`."""

    query: Query | None = Field(default=None, description="Required unless order is chronological with a filter")
    limit: Annotated[int, Field(ge=1, le=bounds.MAX_SEARCH_LIMIT)] = bounds.DEFAULT_SEARCH_LIMIT
    memory_type: MemoryType | None = None
    memory_types: Annotated[list[MemoryType], Field(min_length=1, max_length=bounds.MAX_MEMORY_TYPES_FILTER)] | None = (
        Field(default=None, description="Any of these; not together with memoryType")
    )
    scope: ScopeName | None = None
    project: Project | None = None
    status: MemoryStatus | None = Field(default=None, description="Default active; lifted by asOf")
    as_of: AsOf | None = Field(default=None, description="Time travel")
    recorded_after: Instant | None = Field(default=None, description="Inclusive")
    recorded_before: Instant | None = Field(default=None, description="Inclusive; not before recordedAfter")
    order: SearchOrder = Field(
        default=SearchOrder.RELEVANCE,
        description="chronological: exhaustive, newest first; query then keeps rows with all its terms",
    )
    projection: Projection = Field(default=Projection.FULL, description="compact: no content")
    cursor: Cursor | None = Field(default=None, description="nextCursor of the same query and filters")

    @field_validator("memory_types")
    @classmethod
    def _types_are_given_once(cls, value: list[MemoryType] | None, info: ValidationInfo) -> list[MemoryType] | None:
        if value is not None and info.data.get("memory_type") is not None:
            raise PydanticCustomError("exclusive", "Give memoryType or memoryTypes, not both")
        return value

    @field_validator("recorded_before")
    @classmethod
    def _range_is_ordered(cls, value: Instant | None, info: ValidationInfo) -> Instant | None:
        return not_before_recorded_after(value, info)

    @model_validator(mode="after")
    def _search_is_bounded(self) -> Self:
        if self.query is None and self.order is SearchOrder.RELEVANCE:
            raise PydanticCustomError("query_required", "Required when order is relevance", {FIELD: "query"})
        if self.query is None and not self.has_filter:
            raise PydanticCustomError("unbounded", "Give a query or at least one filter", {FIELD: "query"})
        return self

    @property
    def has_filter(self) -> bool:
        """Whether anything but the query narrows the search."""
        return any(
            value is not None
            for value in (
                self.memory_type, self.memory_types, self.scope, self.project, self.status, self.as_of,
                self.recorded_after, self.recorded_before,
            )
        )  # fmt: skip

    @property
    def types(self) -> tuple[MemoryType, ...]:
        """The wanted memory types, sorted; empty means all."""
        wanted = self.memory_types or ([self.memory_type] if self.memory_type else [])
        return tuple(sorted(set(wanted)))


class Hit(Output):
    """One found memory. `content` is an excerpt; a truncated one is read in full by `get_memories`."""

    id: UUID
    memory_type: MemoryType
    topic: str
    content: str | None = present()
    content_length: int | None = present()
    truncated: bool | None = present()
    score: float
    superseded: bool
    scope: str
    project: str | None
    recorded_at: Instant


class Coverage(Output):
    """What the search could see, and whether its best hit looks like an answer."""

    vector: VectorCoverage
    lexical: VectorCoverage
    candidates: int
    top_similarity: float | None = present()
    confident: bool | None = present()
    pending_embeddings: int


class SearchOutput(Output):
    """One page of hits, best or newest first; scores compare within one walk only."""

    hits: list[Hit]
    count: int
    has_more: bool
    next_cursor: str | None = present()
    applied_scope: str | None = present()
    coverage: Coverage
