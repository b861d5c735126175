"""Read memories by id: several with bounded bodies, or one as an immutable resource."""

from uuid import UUID

from threengram.core.call import Call
from threengram.core.db.statement import Row
from threengram.core.errors import NotFound
from threengram.core.memories import queries
from threengram.core.memories.excerpt import Excerpt, excerpt, wire_bytes, within_total_bytes
from threengram.schema.bounds import MAX_GET_TOTAL_BYTES, MAX_IMPORT_CONTENT_CHARS
from threengram.schema.enums import CommitmentStatus, EdgeType, MemoryStatus, MemoryType
from threengram.schema.memories import (
    GetMemoriesInput,
    GetMemoriesOutput,
    GetMemoryInput,
    MemoryRead,
    MemoryResource,
    SupersededBy,
)

FRAME_BYTES = 1_500
"""An answer's fixed cost per memory, twice: ids, instants, enums, punctuation."""


async def get_memories(call: Call, request: GetMemoriesInput) -> GetMemoriesOutput:
    """The memories that exist for the caller, newest first, archived and superseded ones included.

    Bodies are bounded twice: by characters as asked, and by a fair share of the bytes a whole answer may have.
    """
    wanted = list(dict.fromkeys(request.ids))
    _, tx = await call.admitted()
    rows = await tx.fetch_last(queries.MEMORIES_BY_ID, {"ids": wanted, "max_chars": request.max_content_chars})
    bodies = [excerpt(row["content"], row["content_chars"], request.max_content_chars) for row in rows]
    room = MAX_GET_TOTAL_BYTES - FRAME_BYTES - sum(_frame_bytes(row) for row in rows)
    bodies = within_total_bytes(bodies, room)
    memories = [_memory(row, body) for row, body in zip(rows, bodies, strict=True)]
    found = {row["id"] for row in rows}
    return GetMemoriesOutput(
        memories=memories,
        count=len(memories),
        not_found=[memory_id for memory_id in wanted if memory_id not in found],
    )


async def read_resource(call: Call, memory_id: UUID) -> MemoryResource:
    """The immutable fields of one memory, its content whole; raises `NotFound` for unknown and foreign ids."""
    _, tx = await call.admitted()
    rows = await tx.fetch_last(queries.MEMORY_RESOURCE, {"memory_id": memory_id})
    if not rows:
        raise NotFound("memory", str(memory_id))
    row = rows[0]
    return MemoryResource(
        id=row["id"],
        memory_type=MemoryType(row["memory_type"]),
        topic=row["topic"],
        content=row["content"],
        content_length=row["content_chars"],
        project=row["project"],
        recorded_at=row["recorded_at"],
    )


def _frame_bytes(row: Row) -> int:
    texts = [row["topic"], row["scope"], row["project"] or "", *row["tags"]]
    return FRAME_BYTES + sum(wire_bytes(text) for text in texts)


def _memory(row: Row, body: Excerpt) -> MemoryRead:
    superseded_by = None
    if row["superseded_by"] is not None:
        superseded_by = SupersededBy(id=row["superseded_by"], edge_type=EdgeType(row["edge_type"]))
    commitment = row["commitment_status"]
    return MemoryRead(
        id=row["id"],
        memory_type=MemoryType(row["memory_type"]),
        topic=row["topic"],
        content=body.text,
        content_length=row["content_chars"],
        truncated=body.is_truncated,
        scope=row["scope"],
        project=row["project"],
        tags=row["tags"],
        status=MemoryStatus(row["status"]),
        superseded_by=superseded_by,
        commitment_status=None if commitment is None else CommitmentStatus(commitment),
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        recorded_at=row["recorded_at"],
    )


async def get_memory(call: Call, request: GetMemoryInput) -> MemoryRead:
    """One memory, its content whole, archived or superseded or not; raises `NotFound` for unknown and foreign ids."""
    _, tx = await call.admitted()
    rows = await tx.fetch_last(queries.MEMORIES_BY_ID, {"ids": [request.id], "max_chars": MAX_IMPORT_CONTENT_CHARS})
    if not rows:
        raise NotFound("memory", str(request.id))
    return _memory(rows[0], Excerpt(rows[0]["content"], is_truncated=False))
