"""`stats`: how much a tenant holds, by type and by state."""

from collections import Counter
from datetime import datetime

from threengram.core.call import Call
from threengram.core.db.statement import Row, Step
from threengram.core.environment import queries
from threengram.schema.browse import StatsInput
from threengram.schema.enums import CommitmentStatus, MemoryStatus, MemoryType
from threengram.schema.environment import MemoryStats


async def stats(call: Call, _request: StatsInput) -> MemoryStats:
    """The counts as they are now."""
    _, tx = await call.admitted()
    return counted(*await tx.run(counting(call.now), commit=True))


def counting(now: datetime) -> list[Step]:
    """The steps that count memories, commitments and facts valid at `now`."""
    return [Step(queries.MEMORY_COUNTS), Step(queries.COMMITMENT_COUNTS), Step(queries.OPEN_FACTS, {"now": now})]


def counted(memories: list[Row], commitments: list[Row], facts: list[Row]) -> MemoryStats:
    """The counts out of the rows of `counting`."""
    by_type: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for row in memories:
        totals[_standing(row)] += row["count"]
        if _standing(row) == "active":
            by_type[row["memory_type"]] += row["count"]
    by_status = {row["status"]: row["count"] for row in commitments}
    return MemoryStats(
        memories_by_type={kind.value: by_type[kind] for kind in MemoryType},
        active_memories=totals["active"],
        superseded_memories=totals["superseded"],
        resolved_blockers=totals["resolved"],
        archived_memories=totals["archived"],
        commitments_by_status={status.value: by_status.get(status, 0) for status in CommitmentStatus},
        open_facts=facts[0]["count"],
    )


def _standing(row: Row) -> str:
    if row["is_resolved"]:
        return "resolved"
    if row["status"] == MemoryStatus.ARCHIVED:
        return "archived"
    return "active" if row["is_open"] else "superseded"
