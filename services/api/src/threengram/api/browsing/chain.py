"""Pure: what came before a memory and what came after it, out of its lineage."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from threengram.schema.browse import HistoryOutput, LineageEdge, LineageNode
from threengram.schema.enums import CLOSING_EDGES, EdgeType


@dataclass(frozen=True, slots=True)
class Version:
    """A memory of the chain of corrections; `edge_type` says what it did to the one before it."""

    memory: LineageNode
    edge_type: EdgeType | None


@dataclass(frozen=True, slots=True)
class Connection:
    """A memory that is connected without replacing anything; `is_newer` when it points here."""

    memory: LineageNode
    edge_type: EdgeType
    is_newer: bool


def versions(history: HistoryOutput) -> Sequence[Version]:
    """The memory with everything that it replaced and everything that replaced it, newest first."""
    lineage, here = history.lineage, history.memory.id
    closing = [edge for edge in lineage.edges if edge.edge_type in CLOSING_EDGES]
    ids = _reached(here, ((edge.from_id, edge.to_id) for edge in closing))
    ids |= _reached(here, ((edge.to_id, edge.from_id) for edge in closing))
    made_by = {edge.from_id: edge.edge_type for edge in closing}
    chain = [Version(node, made_by.get(node.id)) for node in lineage.nodes if node.id in ids]
    return sorted(chain, key=lambda version: (version.memory.recorded_at, version.memory.id), reverse=True)


def connections(history: HistoryOutput) -> Sequence[Connection]:
    """What else is one step away."""
    nodes = {node.id: node for node in history.lineage.nodes}
    return [
        Connection(nodes[_other(edge, history.memory.id)], edge.edge_type, edge.to_id == history.memory.id)
        for edge in history.lineage.edges
        if edge.edge_type not in CLOSING_EDGES and history.memory.id in (edge.from_id, edge.to_id)
    ]


def _other(edge: LineageEdge, here: UUID) -> UUID:
    return edge.to_id if edge.from_id == here else edge.from_id


def _reached(start: UUID, steps: Iterable[tuple[UUID, UUID]]) -> set[UUID]:
    following: dict[UUID, list[UUID]] = {}
    for step_from, step_to in steps:
        following.setdefault(step_from, []).append(step_to)
    reached, left = {start}, [start]
    while left:
        new = [one for one in following.get(left.pop(), []) if one not in reached]
        reached.update(new)
        left += new
    return reached
