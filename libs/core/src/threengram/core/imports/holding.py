"""The memories that other records of a file hang on: locked, and known as far as it matters for what hangs on them."""

from collections.abc import Collection, Iterable
from uuid import UUID

from threengram.core.db.statement import Row, Step
from threengram.core.imports import queries
from threengram.core.imports.ledger import Held, Ledger
from threengram.core.lifetimes.queries import LOCK_MEMORIES
from threengram.schema.enums import MemoryType


def holding(memory_ids: Collection[UUID]) -> list[Step]:
    """Three steps: the turn of this file, the locks, then what stands behind them."""
    ids = sorted(memory_ids)
    return [
        Step(queries.ONE_AT_A_TIME),
        Step(LOCK_MEMORIES, {"memory_ids": ids}),
        Step(queries.HELD_MEMORIES, {"memory_ids": ids}),
    ]


def held(rows: Iterable[Row], memory_ids: Collection[UUID], ledger: Ledger) -> dict[UUID, Held]:
    """Those of the memories that are what the file means by these ids, by the rows of the last step."""
    here: dict[UUID, Held] = {}
    for memory_id in memory_ids:
        foreseen = ledger.foreseen.get(memory_id)
        if foreseen is not None:
            here[memory_id] = foreseen
    for row in rows:
        if row["id"] not in ledger.barred:
            here[row["id"]] = Held(MemoryType(row["memory_type"]), row["is_ended"], row["is_live"])
    return here
