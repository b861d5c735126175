"""What was written in one run, oldest first."""

import orjson

from threengram.core.call import Call
from threengram.core.cursor import ListedAfter, fingerprint
from threengram.core.errors import NotFound
from threengram.core.sessions import queries
from threengram.schema.enums import ActorKind, EventKind
from threengram.schema.sessions import SessionEvent, SessionEvents, SessionEventsInput


async def list_session_events(call: Call, request: SessionEventsInput) -> SessionEvents:
    """One page; raises `NotFound` for unknown and foreign runs alike, `InvalidCursor`."""
    _, tx = await call.admitted()
    asked = fingerprint(orjson.dumps({"verb": "session_events", "id": str(request.id)}))
    after = call.core.cursors.resume(ListedAfter, call.principal.tenant_id, asked, request.cursor)
    rows = await tx.fetch_last(
        queries.EVENTS_OF_RUN,
        {
            "session_run_id": request.id,
            "after_recorded_at": None if after is None else after.recorded_at,
            "after_id": None if after is None else after.memory_id,
            "fetch": request.limit + 1,
        },
    )
    if not rows:
        raise NotFound("session run", str(request.id))
    found = [row for row in rows if row["id"] is not None]
    shown, has_more = found[: request.limit], len(found) > request.limit
    cursor = None
    if has_more:
        last = ListedAfter(shown[-1]["recorded_at"], shown[-1]["id"])
        cursor = call.core.cursors.seal(call.principal.tenant_id, asked, last)
    items = [
        SessionEvent(
            id=row["id"],
            memory_id=row["memory_id"],
            event_kind=EventKind(row["event_kind"]),
            actor_kind=ActorKind(row["actor_kind"]),
            session_run_id=row["session_run_id"],
            created_at=row["recorded_at"],
        )
        for row in shown
    ]
    return SessionEvents(items=items, count=len(items), has_more=has_more, next_cursor=cursor)
