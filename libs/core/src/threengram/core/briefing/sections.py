"""Pure: the rows of a read by section, within the bytes that an answer may have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from threengram.core.db.statement import Row
from threengram.core.memories.excerpt import wire_bytes
from threengram.schema.bounds import MAX_GET_TOTAL_BYTES

HEAD_BYTES = 6_000
"""What an answer costs without any entry: the selector, who it is for, totals, keys."""

ANSWER_BYTES = MAX_GET_TOTAL_BYTES - HEAD_BYTES
FRAME_BYTES = 900
"""The fixed cost of an entry, twice: keys, ids, instants, enums, punctuation."""

BODY = "content"
"""The column that is bounded by itself."""


@dataclass(frozen=True, slots=True)
class Found:
    """Exact totals and first rows of each section, and the name to which the selector's scope resolved."""

    totals: Mapping[str, int]
    rows: Mapping[str, Sequence[Row]]
    scope: str | None


def by_section(rows: Iterable[Row]) -> Found:
    """Rows as the statements return them; that of an empty section has no id."""
    totals: dict[str, int] = {}
    listed: dict[str, list[Row]] = {}
    scope: str | None = None
    for row in rows:
        scope = row["selected_scope"]
        totals[row["section"]] = row["total"]
        entries = listed.setdefault(row["section"], [])
        if row["id"] is not None:
            entries.append(row)
    return Found(totals, listed, scope)


def fitting(sections: Mapping[str, Sequence[Row]], room: int) -> dict[str, list[Row]]:
    """The longest starts of the sections that together fit: small ones stay whole, the others share what is left."""
    costs = {name: [frame_bytes(row) for row in rows] for name, rows in sections.items()}
    kept: dict[str, list[Row]] = {name: [] for name in sections}
    for done, name in enumerate(sorted(costs, key=lambda name: sum(costs[name]))):
        share = max(0, room) // (len(costs) - done)
        for row, cost in zip(sections[name], costs[name], strict=True):
            if cost > share:
                break
            share -= cost
            room -= cost
            kept[name].append(row)
    return kept


def frame_bytes(row: Row) -> int:
    """What an entry costs apart from its body."""
    texts = [value for name, value in row.items() if isinstance(value, str) and name not in _NOT_SENT]
    return FRAME_BYTES + sum(wire_bytes(text) for text in (*texts, *(row.get("tags") or ())))


_NOT_SENT = frozenset({BODY, "section", "selected_scope"})
