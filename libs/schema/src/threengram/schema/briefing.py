"""`briefing`: what matters now, for the agent that begins; and the selector it shares with `handoff`."""

from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import Field, StringConstraints, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.enums import CommitmentStatus, MemoryType
from threengram.schema.instants import Instant
from threengram.schema.memories import Project, ScopeName
from threengram.schema.reading import Vocabulary
from threengram.schema.text import NORMALISED

Reader = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_GENERATED_FOR_CHARS), NORMALISED]
SectionLimit = Annotated[int, Field(ge=1, le=bounds.MAX_SECTION_LIMIT)]
_Name = TypeVar("_Name", str, None)


class SelectorKind(Vocabulary):
    """How a read says what it is about."""

    ALL = "all"
    SCOPE = "scope"
    PROJECT = "project"
    SCOPE_PROJECT = "scope_project"


SCOPED = frozenset({SelectorKind.SCOPE, SelectorKind.SCOPE_PROJECT})
OF_A_PROJECT = frozenset({SelectorKind.PROJECT, SelectorKind.SCOPE_PROJECT})


class Selector(Input):
    """What a read is about. It has to be said: nothing stands for everything but `all`."""

    kind: SelectorKind
    scope: ScopeName | None = Field(
        default=None, validate_default=True, description="With scope, scope_project: its name or an alias"
    )
    project: Project | None = Field(default=None, validate_default=True, description="With project, scope_project")
    include_unscoped: bool = Field(
        default=False, description="With scope_project: also the scope's memories without a project"
    )

    @field_validator("scope")
    @classmethod
    def _scope_belongs_to_its_kinds(cls, value: _Name, info: ValidationInfo) -> _Name:
        return _belonging(value, info, SCOPED)

    @field_validator("project")
    @classmethod
    def _project_belongs_to_its_kinds(cls, value: _Name, info: ValidationInfo) -> _Name:
        return _belonging(value, info, OF_A_PROJECT)

    @field_validator("include_unscoped")
    @classmethod
    def _unscoped_belongs_to_both(cls, value: bool, info: ValidationInfo) -> bool:
        if value and info.data.get("kind", SelectorKind.SCOPE_PROJECT) is not SelectorKind.SCOPE_PROJECT:
            raise PydanticCustomError("selector_kind", "Only the kind scope_project takes this")
        return value


def _belonging(value: _Name, info: ValidationInfo, kinds: frozenset[SelectorKind]) -> _Name:
    """`value`, when it is there exactly for the kinds that take it; an invalid kind is reported by itself."""
    kind = info.data.get("kind")
    if kind in kinds and value is None:
        raise PydanticCustomError("selector_kind", "The kind {kind} needs this", {"kind": str(kind)})
    if kind is not None and kind not in kinds and value is not None:
        raise PydanticCustomError("selector_kind", "The kind {kind} does not take this", {"kind": str(kind)})
    return value


class Selected(Output):
    """The selector as it was applied: with the scope's registered name, and narrowed by the tenant's policy."""

    kind: SelectorKind
    scope: str | None = present()
    project: str | None = present()
    include_unscoped: bool | None = present()


class BriefingMode(Vocabulary):
    """The few most important lines, or many of them with more about each."""

    BRIEF = "brief"
    FULL = "full"


class BriefingSection(Vocabulary):
    """The parts of a briefing."""

    COMMITMENTS = "commitments"
    OVERDUE = "overdue"
    BLOCKERS = "blockers"
    STALE_CANDIDATES = "staleCandidates"
    RECENT_DECISIONS = "recentDecisions"
    PREFERENCES = "preferences"
    SURFACED_TODAY = "surfacedToday"


class BriefingInput(Input):
    """Arguments of `briefing`."""

    selector: Selector
    mode: BriefingMode = BriefingMode.BRIEF
    sections: Annotated[list[BriefingSection], Field(min_length=1, max_length=len(BriefingSection))] | None = Field(
        default=None, description="Only these; default all"
    )
    section_limit: SectionLimit | None = Field(
        default=None,
        description=f"Lines per section; default {bounds.DEFAULT_BRIEF_LINES}, full {bounds.DEFAULT_FULL_LINES}",
    )

    @field_validator("sections")
    @classmethod
    def _sections_are_unique(cls, value: list[BriefingSection] | None) -> list[BriefingSection] | None:
        if value is not None and len(set(value)) < len(value):
            raise PydanticCustomError("sections_repeated", "Name each section once")
        return value


class MemoryLine(Output):
    """A memory without its content. `updatedAt` is its last meaningful touch; tags and length only in mode full."""

    id: UUID
    memory_type: MemoryType
    topic: str
    scope: str
    project: str | None
    recorded_at: Instant
    updated_at: Instant
    tags: list[str] | None = present()
    content_length: int | None = present()


class CommitmentLine(Output):
    """A commitment that is not settled; where it is filed, its owner and its rule only in mode full."""

    id: UUID
    memory_id: UUID
    topic: str
    status: CommitmentStatus
    due_at: Instant | None
    overdue: bool
    scope: str | None = present()
    project: str | None = present()
    owner: str | None = present()
    recurrence: str | None = present()


class SurfacingReason(Vocabulary):
    """Why a commitment came up today: it fell due today, once or by its rule, or has been due since an earlier day."""

    DUE = "due"
    RECURRING = "recurring"
    OVERDUE = "overdue"


class SurfacedLine(CommitmentLine):
    """A commitment that came up today, and why."""

    reason: SurfacingReason


class MemorySection(Output):
    """The first lines of a section; `count` is the exact total."""

    count: int
    items: list[MemoryLine]
    has_more: bool


class CommitmentSection(Output):
    """The first lines of a section; `count` is the exact total."""

    count: int
    items: list[CommitmentLine]
    has_more: bool


class SurfacedSection(Output):
    """The first lines of a section; `count` is the exact total."""

    count: int
    items: list[SurfacedLine]
    has_more: bool


class BriefingOutput(Output):
    """The sections asked for, all as of `generatedAt`. What is overdue stands among the commitments as well."""

    selector: Selected
    mode: BriefingMode
    generated_at: Instant
    commitments: CommitmentSection | None = present()
    overdue: CommitmentSection | None = present()
    blockers: MemorySection | None = present()
    stale_candidates: MemorySection | None = present()
    recent_decisions: MemorySection | None = present()
    preferences: MemorySection | None = present()
    surfaced_today: SurfacedSection | None = present()
    applied_scope: str | None = present()
