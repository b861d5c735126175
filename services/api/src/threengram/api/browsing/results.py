"""What the page of memories found, from a list or from a search alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from threengram.schema.browse import ListedMemory, ListMemoriesOutput
from threengram.schema.enums import VectorCoverage
from threengram.schema.search import Hit, SearchOutput

SUPERSEDED: Final = "superseded"


@dataclass(frozen=True, slots=True)
class Result:
    """One memory of a page; `marks` say how it stands where that isn't plainly in use."""

    id: UUID
    memory_type: str
    topic: str
    excerpt: str
    is_truncated: bool
    scope: str
    project: str | None
    recorded_at: datetime
    marks: Sequence[str]


@dataclass(frozen=True, slots=True)
class Found:
    """One page. `narrowed_to` is a scope that nobody asked for; `notes` say what the search could not see."""

    results: Sequence[Result]
    cursor: str | None
    narrowed_to: str | None = None
    notes: Sequence[str] = ()


def listed(page: ListMemoriesOutput) -> Found:
    """A page of a list."""
    return Found([_listed(memory) for memory in page.memories], page.next_cursor)


def searched(page: SearchOutput) -> Found:
    """A page of a search."""
    return Found([_hit(hit) for hit in page.hits], page.next_cursor, page.applied_scope, [*_notes(page)])


def _listed(memory: ListedMemory) -> Result:
    marks = [] if memory.state == "current" else [str(memory.state)]
    if memory.commitment_status is not None:
        marks.append(str(memory.commitment_status))
    return Result(
        memory.id, memory.memory_type, memory.topic, memory.content or "", bool(memory.truncated), memory.scope,
        memory.project, memory.recorded_at, marks,
    )  # fmt: skip


def _hit(hit: Hit) -> Result:
    return Result(
        hit.id, hit.memory_type, hit.topic, hit.content or "", bool(hit.truncated), hit.scope, hit.project,
        hit.recorded_at, [SUPERSEDED] if hit.superseded else [],
    )  # fmt: skip


def _notes(page: SearchOutput) -> Sequence[str]:
    coverage, notes = page.coverage, []
    if coverage.vector is VectorCoverage.UNAVAILABLE:
        notes.append("Search by meaning is not available right now; these were found by their words.")
    if page.hits and coverage.confident is False:
        notes.append("None of these looks like a sure answer.")
    return notes
