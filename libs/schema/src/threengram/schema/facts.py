"""`get_facts`: claims as they stand, as they stood, or as a series."""

from typing import Annotated, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.instants import Instant
from threengram.schema.memories import Fact, Predicate, Project, ScopeName, Subject
from threengram.schema.search import AsOf, Cursor


class FactRange(Input):
    """A window of valid time; at least one end."""

    from_: Instant | None = Field(
        default=None, validation_alias="from", serialization_alias="from", description="Claims valid after this instant"
    )
    to: Instant | None = Field(default=None, description="Claims that began before this instant")

    @model_validator(mode="after")
    def _is_a_window(self) -> Self:
        if self.from_ is None and self.to is None:
            raise PydanticCustomError("range_empty", "range needs from, to or both")
        return self

    @field_validator("to")
    @classmethod
    def _ends_are_ordered(cls, value: Instant | None, info: ValidationInfo) -> Instant | None:
        start = info.data.get("from_")
        if value is not None and start is not None and start > value:
            raise PydanticCustomError("range_order", "from must not be after to")
        return value


class GetFactsInput(Input):
    """Arguments of `get_facts`."""

    subject: Subject | None = Field(default=None, description="Exact")
    predicate: Predicate | None = Field(default=None, description="Exact")
    as_of: AsOf | None = Field(default=None, description="Time travel to a point; not together with range")
    range: FactRange | None = Field(
        default=None, description="The series over a window, oldest first; not together with asOf"
    )
    scope: ScopeName | None = Field(default=None, description="Of the memory that states the fact")
    project: Project | None = Field(default=None, description="Of the memory that states the fact")
    limit: Annotated[int, Field(ge=1, le=bounds.MAX_FACTS_LIMIT)] = bounds.DEFAULT_FACTS_LIMIT
    cursor: Cursor | None = Field(default=None, description="nextCursor of the same question")

    @field_validator("range")
    @classmethod
    def _is_a_point_or_a_range(cls, value: FactRange | None, info: ValidationInfo) -> FactRange | None:
        if value is not None and info.data.get("as_of") is not None:
            raise PydanticCustomError("exclusive", "Give asOf or range, not both")
        return value


class GetFactsOutput(Output):
    """One page of facts: newest recorded first, or oldest valid first for a range."""

    facts: list[Fact]
    count: int
    has_more: bool
    next_cursor: str | None = present()
    applied_scope: str | None = present()
