"""The steps that draw an edge from a newer memory to an older one, and those that take it back, each with its event."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from threengram.core.db.statement import Step
from threengram.core.lifetimes import queries
from threengram.core.lifetimes.events import Detail, event
from threengram.schema.enums import CLOSING_EDGES, ActorKind, EdgeType, EventKind


@dataclass(frozen=True, slots=True)
class Edge:
    """From a newer memory to an older one."""

    id: UUID
    from_id: UUID
    to_id: UUID
    edge_type: EdgeType

    @property
    def is_closing(self) -> bool:
        """Whether the newer memory takes over, rather than only being related."""
        return self.edge_type in CLOSING_EDGES


def drawing(edge: Edge, actor: ActorKind, *, at: datetime, details: Mapping[str, Detail] | None = None) -> list[Step]:
    """The edge, and the event: on the older memory when it is taken over, else on the one that gains a relation."""
    row = {
        "edge_id": edge.id,
        "from_id": edge.from_id,
        "to_id": edge.to_id,
        "edge_type": edge.edge_type,
        "actor": actor,
        "at": at,
    }
    kind = EventKind.SUPERSEDE if edge.is_closing else EventKind.LINK
    return [Step(queries.INSERT_EDGE, row), _noted(kind, edge, actor, at, details)]


def retracting(
    edge: Edge, actor: ActorKind, *, at: datetime, details: Mapping[str, Detail] | None = None
) -> list[Step]:
    """The end of the edge, and the event on the memory that noted its beginning."""
    kind = EventKind.UNSUPERSEDE if edge.is_closing else EventKind.UNLINK
    return [Step(queries.RETRACT_EDGE, {"edge_id": edge.id, "at": at}), _noted(kind, edge, actor, at, details)]


def _noted(kind: EventKind, edge: Edge, actor: ActorKind, at: datetime, details: Mapping[str, Detail] | None) -> Step:
    memory_id, other = edge.from_id, {"targetId": edge.to_id}
    if edge.is_closing:
        memory_id, other = edge.to_id, {"successorId": edge.from_id}
    return event(memory_id, kind, actor, at=at, details={**other, "edgeType": edge.edge_type.value, **(details or {})})
