"""`list_memories`: everything that passes the filters, newest first, by keyset."""

from threengram.core.browse import queries
from threengram.core.call import Call
from threengram.core.cursor import ListedAfter, fingerprint
from threengram.core.db.statement import Row
from threengram.core.keyset import page_below, shown
from threengram.core.memories.excerpt import excerpt
from threengram.schema import bounds
from threengram.schema.browse import LifecycleState, ListedMemory, ListMemoriesInput, ListMemoriesOutput
from threengram.schema.enums import CommitmentStatus, MemoryStatus, MemoryType
from threengram.schema.search import Projection


async def list_memories(call: Call, request: ListMemoriesInput) -> ListMemoriesOutput:
    """One page; a walk neither repeats nor skips a row that stays. Raises `InvalidCursor`."""
    _, tx = await call.admitted()
    asked = _fingerprint(request)
    after = call.core.cursors.resume(ListedAfter, call.principal.tenant_id, asked, request.cursor)
    statement = queries.listed(
        request.status,
        has_scope=request.scope is not None,
        has_projects=request.project is not None,
        has_types=request.memory_types is not None,
        has_tag=request.tag is not None,
        has_excerpt=request.projection is Projection.FULL,
        is_continued=after is not None,
    )
    parameters = {
        "scope": request.scope,
        "projects": request.project,
        "types": None if request.memory_types is None else [str(kind) for kind in request.memory_types],
        "tag": request.tag,
        "recorded_after": request.recorded_after,
        "recorded_before": request.recorded_before,
        "excerpt_chars": bounds.MAX_EXCERPT_CHARS,
        **page_below(after, request.limit),
    }
    rows = await tx.fetch_last(statement, parameters)
    page, cursor = shown(call, rows, request.limit, asked)
    return ListMemoriesOutput(
        memories=[_listed(row) for row in page], count=len(page), has_more=cursor is not None, next_cursor=cursor
    )


def _fingerprint(request: ListMemoriesInput) -> bytes:
    """Stands for the filters; `limit` and `projection` may change between pages."""
    asked = {
        "verb": "list_memories",
        "types": sorted(request.memory_types or []),
        "scope": request.scope,
        "projects": sorted(request.project or []),
        "tag": request.tag,
        "status": request.status,
        "recorded": (request.recorded_after, request.recorded_before),
    }
    return fingerprint(asked)


def _listed(row: Row) -> ListedMemory:
    commitment = row["commitment_status"]
    content, content_length, truncated = None, None, None
    if "content" in row:
        body = excerpt(row["content"], row["content_chars"], bounds.MAX_EXCERPT_CHARS)
        content, content_length, truncated = body.text, row["content_chars"], body.is_truncated
    return ListedMemory(
        id=row["id"],
        memory_type=MemoryType(row["memory_type"]),
        topic=row["topic"],
        content=content,
        content_length=content_length,
        truncated=truncated,
        scope=row["scope"],
        project=row["project"],
        tags=row["tags"],
        status=MemoryStatus(row["status"]),
        state=LifecycleState(row["state"]),
        commitment_status=None if commitment is None else CommitmentStatus(commitment),
        recorded_at=row["recorded_at"],
    )
