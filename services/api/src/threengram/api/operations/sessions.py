"""Runs of agents."""

from threengram.api.operations.operation import Operation
from threengram.core.sessions import close_session, heartbeat_session, list_session_events, open_session
from threengram.schema.enums import OAuthScope
from threengram.schema.sessions import (
    OpenSessionInput,
    SessionAlive,
    SessionClosed,
    SessionEvents,
    SessionEventsInput,
    SessionInput,
    SessionOpened,
)

OPEN_SESSION = Operation(
    name="open_session",
    method="POST",
    path="/agent-sessions/open",
    title="Open a run",
    description=(
        "A run begins, or goes on under the same key. Writes that name it, or that name none while it is the only open "
        "run of their project, are attributed to it. Its lease lasts 24 hours from the last sign of life."
    ),
    tag="agent sessions",
    scope=OAuthScope.MEMORY_WRITE,
    input=OpenSessionInput,
    output=SessionOpened,
    handler=open_session,
    is_tool=False,
    can_conflict=True,
)

HEARTBEAT_SESSION = Operation(
    name="heartbeat_session",
    method="POST",
    path="/agent-sessions/heartbeat",
    title="Keep a run alive",
    description="Renews the lease; a run whose lease had ended is resurrected.",
    tag="agent sessions",
    scope=OAuthScope.MEMORY_WRITE,
    input=SessionInput,
    output=SessionAlive,
    handler=heartbeat_session,
    is_tool=False,
    can_be_missing=True,
    can_conflict=True,
)

CLOSE_SESSION = Operation(
    name="close_session",
    method="POST",
    path="/agent-sessions/close",
    title="Close a run",
    description="Later writes that name it are stored without attribution. Repeating it changes nothing.",
    tag="agent sessions",
    scope=OAuthScope.MEMORY_WRITE,
    input=SessionInput,
    output=SessionClosed,
    handler=close_session,
    is_tool=False,
    can_be_missing=True,
)

SESSION_EVENTS = Operation(
    name="session_events",
    method="GET",
    path="/agent-sessions/{id}/events",
    title="List what a run wrote",
    description="The events attributed to it, oldest first.",
    tag="agent sessions",
    scope=OAuthScope.MEMORY_READ,
    input=SessionEventsInput,
    output=SessionEvents,
    handler=list_session_events,
    is_tool=False,
    can_be_missing=True,
)
