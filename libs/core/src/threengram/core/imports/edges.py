"""Edges of a file. They change no memory: one that closes may only lead to a memory that came closed."""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.imports import queries
from threengram.core.imports.holding import held, holding
from threengram.core.imports.ledger import NEW, SAME, Entry, Held, Ledger, Plan, Verdict, skipped
from threengram.schema.enums import CLOSING_EDGES
from threengram.schema.import_records import ImportedEdge
from threengram.schema.imports import SkipReason

_Triple = tuple[UUID, UUID, str]


class _Standing:
    """The edges that are here and not taken back: which pairs are joined, and who has a successor."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._drawn: dict[_Triple, UUID] = {}
        self._successors: dict[UUID, UUID] = {}
        for row in rows:
            self._add(row["id"], (row["from_id"], row["to_id"], row["edge_type"]))

    def add(self, edge: ImportedEdge) -> None:
        """One more."""
        if edge.retracted_at is None:
            self._add(edge.id, _triple(edge))

    def _add(self, edge_id: UUID, triple: _Triple) -> None:
        self._drawn[triple] = edge_id
        if triple[2] in CLOSING_EDGES:
            self._successors[triple[1]] = edge_id

    def verdict(self, edge: ImportedEdge, memories: dict[UUID, Held]) -> Verdict:
        """Whether an edge that is not here can be drawn: no chain gets a fork, a circle or a link behind its head."""
        if edge.from_id not in memories or edge.to_id not in memories:
            return skipped(SkipReason.REFERS_TO_MISSING)
        if edge.edge_type in CLOSING_EDGES and edge.from_id in self._successors:
            return skipped(SkipReason.DOES_NOT_FIT, self._successors[edge.from_id])
        if edge.retracted_at is not None:
            return NEW
        if (twin_id := self._drawn.get(_triple(edge))) is not None:
            return skipped(SkipReason.DUPLICATE, twin_id)
        if edge.edge_type in CLOSING_EDGES:
            if edge.to_id in self._successors:
                return skipped(SkipReason.DOES_NOT_FIT, self._successors[edge.to_id])
            if not memories[edge.to_id].is_ended:
                return skipped(SkipReason.DOES_NOT_FIT)
        return NEW


async def planned(call: Call, tx: TenantTransaction, entries: Sequence[Entry[ImportedEdge]], ledger: Ledger) -> Plan:
    """What becomes of each edge."""
    ends = {memory_id for entry in entries for memory_id in (entry.record.from_id, entry.record.to_id)}
    *_, memory_rows, found, standing_rows = await tx.run(
        [
            *holding(ends),
            Step(queries.FOUND_EDGES, {"ids": [entry.record.id for entry in entries]}),
            Step(queries.STANDING_EDGES, {"memory_ids": list(ends)}),
        ]
    )
    memories, standing = held(memory_rows, ends, ledger), _Standing(standing_rows)
    here = {row["id"]: row for row in found}
    verdicts: dict[int, Verdict] = {}
    new: list[ImportedEdge] = []
    for position in _in_order(entries):
        edge = entries[position].record
        row = here.get(edge.id)
        verdict = standing.verdict(edge, memories) if row is None else _repeated(edge, row)
        if verdict is NEW:
            here[edge.id] = {**edge.model_dump(), "is_retracted": edge.retracted_at is not None}
            standing.add(edge)
            new.append(edge)
        verdicts[position] = verdict
    steps = [_insertion(new, call)] if new else []
    return Plan([verdicts[position] for position in range(len(entries))], steps)


def _repeated(edge: ImportedEdge, here: Row) -> Verdict:
    if (here["from_id"], here["to_id"], here["edge_type"]) != _triple(edge):
        return skipped(SkipReason.ID_TAKEN)
    return SAME if here["is_retracted"] == (edge.retracted_at is not None) else skipped(SkipReason.CHANGED_HERE)


def _triple(edge: ImportedEdge) -> _Triple:
    return edge.from_id, edge.to_id, str(edge.edge_type)


def _in_order(entries: Sequence[Entry[ImportedEdge]]) -> Iterator[int]:
    """Positions, those edges first that start where another one leads.

    A memory gets its predecessors before its successor, though clocks may have numbered the two the other way round.
    """
    starting: dict[UUID, list[int]] = {}
    for position, entry in enumerate(entries):
        starting.setdefault(entry.record.from_id, []).append(position)
    visited: set[int] = set()
    for first in range(len(entries)):
        waiting = [(first, False)]
        while waiting:
            position, has_predecessors = waiting.pop()
            if has_predecessors:
                yield position
            elif position not in visited:
                visited.add(position)
                waiting.append((position, True))
                waiting += [(other, False) for other in starting.get(entries[position].record.to_id, ())]


def _insertion(edges: Sequence[ImportedEdge], call: Call) -> Step:
    return Step(
        queries.IMPORT_EDGES,
        {
            "ids": [edge.id for edge in edges],
            "from_ids": [edge.from_id for edge in edges],
            "to_ids": [edge.to_id for edge in edges],
            "types": [str(edge.edge_type) for edge in edges],
            "are_retracted": [edge.retracted_at is not None for edge in edges],
            "at": call.now,
        },
    )
