"""Give back to the facts of a memory the validity they had before it was put away or superseded.

A fact returns to the end it had, or to the start of the generation that came after it meanwhile. Where another
generation has taken its own start, it stays closed: nothing that was written later is overruled.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from threengram.core.db.statement import Row, Step
from threengram.core.facts import queries
from threengram.core.facts.write import next_versions
from threengram.schema.enums import MemoryStatus


def reading(memory_id: UUID, *, now: datetime, closed_at: datetime | None = None) -> list[Step]:
    """The steps that lock the series of the memory's facts and read where they could return to.

    They are the facts that were put away with the memory, or those that closed when it was superseded at `closed_at`.
    """
    names: dict[str, object] = {
        "subjects": [],
        "predicates": [],
        "valid_froms": [],
        "closing_id": memory_id,
        "now": now,
        "closed_at": closed_at,
    }
    return [Step(statement, names) for statement in (queries.LOCK_SERIES, queries.RECORDING, queries.PUT_AWAY)]


def planned(rows: Sequence[list[Row]]) -> tuple[datetime, list[Step]]:
    """When the write goes on record, and the step that reopens what can be reopened."""
    _, recording, put_away = rows
    at: datetime = recording[0]["at"]
    ends = {row["id"]: _end(row["former_end"], row["next_start"]) for row in put_away if not row["is_taken"]}
    return at, [next_versions(ends, [MemoryStatus.ACTIVE] * len(ends), at)] if ends else []


def _end(former: datetime | None, next_start: datetime | None) -> datetime | None:
    return min((instant for instant in (former, next_start) if instant is not None), default=None)
