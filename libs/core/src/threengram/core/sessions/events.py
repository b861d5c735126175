"""What was written in one run, oldest first."""

from threengram.core.call import Call
from threengram.core.cursor import ListedAfter, fingerprint
from threengram.core.errors import NotFound
from threengram.core.keyset import page_below, shown
from threengram.core.sessions import queries
from threengram.schema.enums import ActorKind, EventKind
from threengram.schema.sessions import SessionEvent, SessionEvents, SessionEventsInput


async def list_session_events(call: Call, request: SessionEventsInput) -> SessionEvents:
    """One page; raises `NotFound` for unknown and foreign runs alike, `InvalidCursor`."""
    _, tx = await call.admitted()
    asked = fingerprint({"verb": "session_events", "id": str(request.id)})
    after = call.core.cursors.resume(ListedAfter, call.principal.tenant_id, asked, request.cursor)
    parameters = {"session_run_id": request.id, **page_below(after, request.limit)}
    rows = await tx.fetch_last(queries.EVENTS_OF_RUN, parameters)
    if not rows:
        raise NotFound("session run", str(request.id))
    found = [row for row in rows if row["id"] is not None]
    page, cursor = shown(call, found, request.limit, asked)
    items = [
        SessionEvent(
            id=row["id"],
            memory_id=row["memory_id"],
            event_kind=EventKind(row["event_kind"]),
            actor_kind=ActorKind(row["actor_kind"]),
            session_run_id=row["session_run_id"],
            created_at=row["recorded_at"],
        )
        for row in page
    ]
    return SessionEvents(items=items, count=len(items), has_more=cursor is not None, next_cursor=cursor)
