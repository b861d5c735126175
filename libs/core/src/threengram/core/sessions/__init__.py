"""Runs of agents: opened, kept alive by a lease, closed; and which run a write belongs to."""

from threengram.core.sessions.events import list_session_events
from threengram.core.sessions.runs import close_session, heartbeat_session, open_session

__all__ = ["close_session", "heartbeat_session", "list_session_events", "open_session"]
