"""Pure: what opening, a sign of life and closing make of a run.

A run is live while it is not closed and was seen within its lease. Whenever it becomes live again, or is resumed, its
activation epoch grows: what was begun in an earlier one can be told apart.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from threengram.core.errors import Conflict
from threengram.schema.enums import SessionSource

LEASE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Run:
    """One run as stored."""

    run_id: UUID
    project: str | None
    scope: str | None
    opened_at: datetime
    last_seen_at: datetime
    closed_at: datetime | None
    activation_epoch: int

    def is_live(self, now: datetime) -> bool:
        """Open, and seen within its lease."""
        return self.closed_at is None and self.last_seen_at > now - LEASE


def opened(run: Run, *, source: SessionSource, project: str | None, scope: str | None, now: datetime) -> Run:
    """The run opened again. Resuming keeps what the call leaves out; a live run is not started anew differently.

    Raises `Conflict` when a live run is started with another project or scope.
    """
    is_resumed = source is SessionSource.RESUME
    if is_resumed:
        project, scope = project or run.project, scope or run.scope
    elif run.is_live(now) and (project, scope) != (run.project, run.scope):
        raise Conflict(
            "this run is open with another project or scope; resume it, or close it first", subject_id=str(run.run_id)
        )
    renewed = replace(seen(run, now), project=project, scope=scope)
    if is_resumed and run.is_live(now):
        return replace(renewed, activation_epoch=run.activation_epoch + 1)
    return renewed


def seen(run: Run, now: datetime) -> Run:
    """The run after a sign of life, which brings back a closed or stale one."""
    epoch = run.activation_epoch if run.is_live(now) else run.activation_epoch + 1
    return replace(run, last_seen_at=max(run.last_seen_at, now), closed_at=None, activation_epoch=epoch)


def closed(run: Run, now: datetime) -> Run:
    """The run closed, at the instant at which it was closed first."""
    return replace(run, closed_at=run.closed_at or now)
