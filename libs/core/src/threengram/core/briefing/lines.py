"""Pure: rows as the lines of a briefing. What is optional is left out of a brief one."""

from datetime import datetime

from threengram.core.db.statement import Row
from threengram.schema.briefing import CommitmentLine, MemoryLine, SurfacedLine, SurfacingReason
from threengram.schema.enums import CommitmentStatus, MemoryType


def memory_line(row: Row, *, is_full: bool) -> MemoryLine:
    """A memory without its content."""
    return MemoryLine(
        id=row["id"],
        memory_type=MemoryType(row["memory_type"]),
        topic=row["topic"],
        scope=row["scope"],
        project=row["project"],
        recorded_at=row["recorded_at"],
        updated_at=row["touched_at"],
        tags=row["tags"] if is_full and row["tags"] else None,
        content_length=row["content_chars"] if is_full else None,
    )


def commitment_line(row: Row, now: datetime, *, is_full: bool) -> CommitmentLine:
    """A commitment, and whether it was due before `now`."""
    return CommitmentLine(
        id=row["id"],
        memory_id=row["memory_id"],
        topic=row["topic"],
        status=CommitmentStatus(row["status"]),
        due_at=row["due_at"],
        overdue=row["due_at"] is not None and row["due_at"] < now,
        scope=row["scope"] if is_full else None,
        project=row["project"] if is_full else None,
        owner=row["owner"] if is_full else None,
        recurrence=row["recurrence"] if is_full else None,
    )


def surfaced_line(row: Row, now: datetime, day_start: datetime, *, is_full: bool) -> SurfacedLine:
    """A commitment that came up on the day that began at `day_start`, and why."""
    line = commitment_line(row, now, is_full=is_full)
    return SurfacedLine(**dict(line), reason=_reason(row, day_start))


def _reason(row: Row, day_start: datetime) -> SurfacingReason:
    if row["due_at"] < day_start:
        return SurfacingReason.OVERDUE
    return SurfacingReason.DUE if row["recurrence"] is None else SurfacingReason.RECURRING
