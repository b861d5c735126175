"""Runs of agents: opened, kept alive, closed, and asked for what was written in them."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from threengram.schema import bounds
from threengram.schema.base import Input, Output, present
from threengram.schema.enums import ActorKind, EventKind, SessionSource
from threengram.schema.identifiers import Id
from threengram.schema.instants import Instant
from threengram.schema.memories import Project, ScopeName
from threengram.schema.search import Cursor
from threengram.schema.text import NORMALISED

Agent = Annotated[
    str, StringConstraints(min_length=1, max_length=bounds.MAX_AGENT_CHARS, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
]
SessionKey = Annotated[str, StringConstraints(min_length=1, max_length=bounds.MAX_SESSION_KEY_CHARS), NORMALISED]


class SessionInput(Input):
    """Which run: an agent's name and the key that the agent gives its run."""

    agent: Agent = Field(description="In kebab case: claude-code")
    session_key: SessionKey = Field(description="The agent's own id of its run")


class OpenSessionInput(SessionInput):
    """A run begins or goes on."""

    source: SessionSource = SessionSource.STARTUP
    project: Project | None = Field(default=None, description="Writes to it without sessionRunId belong to this run")
    scope: ScopeName | None = None


class SessionOpened(Output):
    """The run. `activationEpoch` grows whenever it is opened again; `reopened` if it was closed or its lease over."""

    session_run_id: UUID
    activation_epoch: int
    source: SessionSource
    created: bool
    reopened: bool
    project: str | None
    scope: str | None
    opened_at: Instant
    last_seen_at: Instant


class SessionAlive(Output):
    """The lease runs for 24 hours from `lastSeenAt`; `resurrected` if it had ended."""

    session_run_id: UUID
    activation_epoch: int
    last_seen_at: Instant
    resurrected: bool


class SessionClosed(Output):
    """When the run was closed first."""

    session_run_id: UUID
    activation_epoch: int
    closed_at: Instant
    already_closed: bool


class SessionEventsInput(Input):
    """Which run, and how much of what was written in it."""

    id: Id
    limit: Annotated[int, Field(ge=1, le=bounds.MAX_SESSION_EVENTS, strict=False)] = bounds.DEFAULT_SESSION_EVENTS
    cursor: Cursor | None = None


class SessionEvent(Output):
    """One change of one memory."""

    id: UUID
    memory_id: UUID
    event_kind: EventKind
    actor_kind: ActorKind
    session_run_id: UUID
    created_at: Instant


class SessionEvents(Output):
    """One page, oldest first."""

    items: list[SessionEvent]
    count: int
    has_more: bool
    next_cursor: str | None = present()
