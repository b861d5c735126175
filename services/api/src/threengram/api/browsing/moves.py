"""Pure: what can be done with a memory as it stands. The verbs decide again; this spares clicks that would fail."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from threengram.core.commitments.transitions import ALLOWED
from threengram.schema.browse import MemoryDetailsOutput
from threengram.schema.enums import CommitmentStatus, MemoryStatus, MemoryType
from threengram.schema.memories import MemoryRead

OPEN, WAITING = CommitmentStatus.OPEN, CommitmentStatus.WAITING
RESOLVED, EXPIRED = CommitmentStatus.RESOLVED, CommitmentStatus.EXPIRED
LABELS: Final = {RESOLVED: "Done", WAITING: "Waiting", EXPIRED: "Give up", OPEN: "Open again"}


@dataclass(frozen=True, slots=True)
class Moves:
    """Which buttons to show; `statuses` are those that the commitment or blocker may take next."""

    can_correct: bool
    can_archive: bool
    can_unarchive: bool
    can_postpone: bool
    statuses: Sequence[CommitmentStatus]


def moves(memory: MemoryRead, details: MemoryDetailsOutput) -> Moves:
    """What its type and state allow."""
    is_valid, is_blocker = memory.valid_to is None, memory.memory_type is MemoryType.BLOCKER
    statuses = _statuses(memory, details)
    return Moves(
        can_correct=is_valid,
        can_archive=is_valid and not is_blocker and memory.status is MemoryStatus.ACTIVE,
        can_unarchive=is_valid and not is_blocker and memory.status is MemoryStatus.ARCHIVED,
        can_postpone=is_valid and RESOLVED in statuses and not is_blocker,
        statuses=statuses,
    )


def _statuses(memory: MemoryRead, details: MemoryDetailsOutput) -> Sequence[CommitmentStatus]:
    if memory.superseded_by is not None:
        return []
    if details.commitment is not None:
        return [status for status in LABELS if status in ALLOWED[details.commitment.status]]
    if memory.memory_type is MemoryType.BLOCKER:
        return [RESOLVED] if memory.status is MemoryStatus.ACTIVE else [OPEN]
    return []
