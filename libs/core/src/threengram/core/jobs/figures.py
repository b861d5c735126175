"""How much work there is: what autoscaling and alerts read."""

from dataclasses import dataclass
from datetime import datetime

from threengram.core.db.database import Database
from threengram.core.jobs import queries


@dataclass(frozen=True, slots=True)
class Figures:
    """Runs of one kind: due ones (an ended lease included), those under a live lease, dead ones; the oldest due."""

    queue: str
    kind: str
    waiting: int
    running: int
    failed: int
    oldest_age_s: float


async def figures(database: Database, *, now: datetime) -> list[Figures]:
    """One for every kind that has such runs."""
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.FIGURES, {"now": now})
    return [
        Figures(
            str(row["queue"]),
            str(row["kind"]),
            int(row["waiting"]),
            int(row["running"]),
            int(row["failed"]),
            max(0.0, (now - (row["oldest_enqueued_at"] or now)).total_seconds()),
        )
        for row in rows
    ]


async def leased_embeddings(database: Database, *, now: datetime) -> int:
    """How many rows of missing vectors are being worked on."""
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.EMBEDDING_LEASES, {"now": now})
    return int(rows[0]["total"])
