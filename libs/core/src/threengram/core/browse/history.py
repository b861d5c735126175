"""`history`: one memory, what it is connected with, what happened to it, what was on record about it."""

from threengram.core.browse import queries
from threengram.core.call import Call
from threengram.core.db.statement import Row, Step
from threengram.core.errors import NotFound
from threengram.schema import bounds
from threengram.schema.browse import (
    AuditEvent,
    DirectRelationships,
    HistoryInput,
    HistoryOutput,
    LifecycleState,
    LifetimeVersion,
    Lineage,
    LineageEdge,
    LineageNode,
    MemoryIdentity,
    Relationship,
)
from threengram.schema.enums import ActorKind, EdgeType, EventKind, MemoryStatus, MemoryType

MAX_STEPS = 10 * bounds.MAX_LINEAGE_NODES
"""Steps of the walk along the lineage: several ways may lead to one memory."""


async def history(call: Call, request: HistoryInput) -> HistoryOutput:
    """The life of a memory, every part bounded; raises `NotFound` for unknown and foreign ids alike."""
    _, tx = await call.admitted()
    parameters = {
        "memory_id": request.id,
        "max_nodes": bounds.MAX_LINEAGE_NODES,
        "max_edges": bounds.MAX_LINEAGE_EDGES,
        "max_events": bounds.MAX_HISTORY_EVENTS,
        "max_versions": bounds.MAX_HISTORY_VERSIONS,
        "max_steps": MAX_STEPS,
    }
    wanted = (
        queries.IDENTITY, queries.LINEAGE_NODES, queries.LINEAGE_EDGES, queries.DIRECT_EDGES, queries.EVENTS,
        queries.VERSIONS,
    )  # fmt: skip
    found, nodes, edges, direct, events, versions = await tx.run(
        [Step(statement, parameters) for statement in wanted], commit=True
    )
    if not found:
        raise NotFound("memory", str(request.id))
    return HistoryOutput(
        memory=_identity(found[0]),
        lineage=_lineage(nodes, edges),
        direct_relationships=_relationships(direct),
        audit_events=[_event(row) for row in events[: bounds.MAX_HISTORY_EVENTS]],
        events_truncated=len(events) > bounds.MAX_HISTORY_EVENTS,
        lifetimes=[_version(row) for row in versions[: bounds.MAX_HISTORY_VERSIONS]],
        lifetimes_truncated=len(versions) > bounds.MAX_HISTORY_VERSIONS,
    )


def _identity(row: Row) -> MemoryIdentity:
    return MemoryIdentity(
        id=row["id"],
        memory_type=MemoryType(row["memory_type"]),
        topic=row["topic"],
        scope=row["scope"],
        project=row["project"],
        status=MemoryStatus(row["status"]),
        state=LifecycleState(row["state"]),
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        recorded_at=row["recorded_at"],
    )


def _lineage(nodes: list[Row], edges: list[Row]) -> Lineage:
    return Lineage(
        nodes=[
            LineageNode(
                id=row["id"],
                memory_type=MemoryType(row["memory_type"]),
                topic=row["topic"],
                state=LifecycleState(row["state"]),
                recorded_at=row["recorded_at"],
                distance=row["distance"],
            )
            for row in nodes[: bounds.MAX_LINEAGE_NODES]
        ],
        edges=[
            LineageEdge(
                id=row["id"],
                from_id=row["from_id"],
                to_id=row["to_id"],
                edge_type=EdgeType(row["edge_type"]),
                created_by=ActorKind(row["created_by"]),
                created_at=row["recorded_at"],
            )
            for row in edges[: bounds.MAX_LINEAGE_EDGES]
        ],
        truncated=len(nodes) > bounds.MAX_LINEAGE_NODES or len(edges) > bounds.MAX_LINEAGE_EDGES,
    )


def _relationships(rows: list[Row]) -> DirectRelationships:
    sides: dict[bool, list[Relationship]] = {True: [], False: []}
    for row in rows:
        relationship = Relationship(id=row["id"], edge_type=EdgeType(row["edge_type"]))
        sides[row["is_predecessor"]].append(relationship)
    limit = bounds.MAX_LINEAGE_EDGES
    return DirectRelationships(
        predecessors=sides[True][:limit],
        successors=sides[False][:limit],
        truncated=any(len(side) > limit for side in sides.values()),
    )


def _event(row: Row) -> AuditEvent:
    return AuditEvent(
        id=row["id"],
        event_kind=EventKind(row["event_kind"]),
        actor_kind=ActorKind(row["actor_kind"]),
        session_run_id=row["session_run_id"],
        details=row["details"],
        created_at=row["recorded_at"],
    )


def _version(row: Row) -> LifetimeVersion:
    return LifetimeVersion(
        version=row["version"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        status=MemoryStatus(row["status"]),
        recorded_from=row["recorded_from"],
        recorded_to=row["recorded_to"],
    )
