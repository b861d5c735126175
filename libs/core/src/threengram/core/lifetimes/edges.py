"""The steps that draw an edge from a newer memory to an older one, and those that take it back, each with its event."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from threengram.core.db.statement import Step
from threengram.core.lifetimes import queries
from threengram.core.lifetimes.events import Detail, event
from threengram.schema.enums import CLOSING_EDGES, ActorKind, EdgeType, EventKind


def drawing(
    edge_id: UUID,
    from_id: UUID,
    to_id: UUID,
    edge_type: EdgeType,
    actor: ActorKind,
    *,
    at: datetime,
    details: Mapping[str, Detail] | None = None,
) -> list[Step]:
    """The edge, and the event: on the older memory when it is taken over, else on the one that gains a relation."""
    row = {"edge_id": edge_id, "from_id": from_id, "to_id": to_id, "edge_type": edge_type, "actor": actor, "at": at}
    kind = EventKind.SUPERSEDE if edge_type in CLOSING_EDGES else EventKind.LINK
    return [Step(queries.INSERT_EDGE, row), _noted(kind, from_id, to_id, edge_type, actor, at, details)]


def retracting(
    edge_id: UUID,
    from_id: UUID,
    to_id: UUID,
    edge_type: EdgeType,
    actor: ActorKind,
    *,
    at: datetime,
    details: Mapping[str, Detail] | None = None,
) -> list[Step]:
    """The end of the edge, and the event on the memory that noted its beginning."""
    kind = EventKind.UNSUPERSEDE if edge_type in CLOSING_EDGES else EventKind.UNLINK
    retraction = Step(queries.RETRACT_EDGE, {"edge_id": edge_id, "at": at})
    return [retraction, _noted(kind, from_id, to_id, edge_type, actor, at, details)]


def _noted(
    kind: EventKind,
    from_id: UUID,
    to_id: UUID,
    edge_type: EdgeType,
    actor: ActorKind,
    at: datetime,
    details: Mapping[str, Detail] | None,
) -> Step:
    if edge_type in CLOSING_EDGES:
        memory_id, other = to_id, {"successorId": from_id}
    else:
        memory_id, other = from_id, {"targetId": to_id}
    return event(memory_id, kind, actor, at=at, details={**other, "edgeType": edge_type.value, **(details or {})})
