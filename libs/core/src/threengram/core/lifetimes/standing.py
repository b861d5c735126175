"""The state of one memory under its lock, and the step that gives its lifetime the next version.

Whatever changes a memory that exists already (its validity, its status, its commitment) holds the lock on its row
first. The order of locks, which every write follows: runs of agents; a proposal; the registry of scopes; rows of
existing memories, ascending by id; fact series, ascending by key; rows of commitments; the tenant's counter, last, with
the insertion itself.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from threengram.core.db.statement import Row, Step
from threengram.core.errors import NotFound
from threengram.core.lifetimes import queries
from threengram.schema.enums import MemoryStatus, MemoryType


@dataclass(frozen=True, slots=True)
class Standing:
    """One memory as it stands; `recorded_from` is when its current version went on record."""

    memory_id: UUID
    memory_type: MemoryType
    scope: str
    project: str | None
    tags: tuple[str, ...]
    status: MemoryStatus
    valid_from: datetime
    valid_to: datetime | None
    recorded_from: datetime
    successor_id: UUID | None

    @property
    def is_live(self) -> bool:
        """In use and valid."""
        return self.status is MemoryStatus.ACTIVE and self.valid_to is None

    @property
    def is_superseded(self) -> bool:
        """Whether another memory took over."""
        return self.successor_id is not None


def locking(memory_id: UUID) -> list[Step]:
    """Two steps: lock the row, then read what is committed by then (a snapshot is older than the lock it waits for)."""
    return [Step(queries.LOCK_MEMORY, {"memory_id": memory_id}), Step(queries.STANDING, {"memory_id": memory_id})]


def locking_both(first_id: UUID, second_id: UUID) -> list[Step]:
    """Three steps: lock both rows in the order of their ids, then read the one and the other."""
    ids = [first_id, second_id]
    reading = [Step(queries.STANDING, {"memory_id": memory_id}) for memory_id in ids]
    return [Step(queries.LOCK_MEMORIES, {"memory_ids": ids}), *reading]


def standing(memory_id: UUID, rows: list[Row], *, kind: str = "memory") -> Standing:
    """The state out of the second step's rows; raises `NotFound` for unknown and foreign ids alike."""
    if not rows:
        raise NotFound(kind, str(memory_id))
    row = rows[0]
    return Standing(
        memory_id=memory_id,
        memory_type=MemoryType(row["memory_type"]),
        scope=row["scope"],
        project=row["project"],
        tags=tuple(row["tags"]),
        status=MemoryStatus(row["status"]),
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        recorded_from=row["recorded_from"],
        successor_id=row["successor_id"],
    )


def versioning(memory: Standing, *, status: MemoryStatus, valid_to: datetime | None, at: datetime) -> Step:
    """Close the version on record and open the next; `at` is later than the one before."""
    return Step(queries.NEXT_VERSION, {"memory_id": memory.memory_id, "status": status, "valid_to": valid_to, "at": at})
