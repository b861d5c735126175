"""Runs as people see them: list, show, cancel, bring back to life."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from threengram.core.db.database import Database, UniqueViolated
from threengram.core.errors import Conflict, NotFound
from threengram.core.jobs import queries
from threengram.schema.enums import JobState

DEAD = (JobState.FAILED,)
MAX_RUNS = 500


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One row of the record. Ids, counts, instants and class names only; nothing that a person wrote."""

    id: UUID
    tenant_id: UUID | None
    kind: str
    queue: str
    state: JobState
    attempts: int
    max_attempts: int
    enqueued_at: datetime
    scheduled_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    finished_at: datetime | None
    cancel_asked_at: datetime | None
    outcome: str | None
    counts: dict[str, Any]
    error_class: str | None


async def list_runs(
    database: Database,
    *,
    kind: str | None = None,
    tenant_id: UUID | None = None,
    states: tuple[JobState, ...] | None = None,
    before: UUID | None = None,
    limit: int = 50,
) -> list[RecordedRun]:
    """The newest runs first; `before` an id goes on where a page ended. With `states=DEAD` the dead letters."""
    return await _read(
        database, run_id=None, kind=kind, run_tenant_id=tenant_id, states=None if states is None else list(states),
        before=before, limit=min(limit, MAX_RUNS),
    )  # fmt: skip


async def show_run(database: Database, run_id: UUID) -> RecordedRun:
    """One run; raises `NotFound`."""
    found = await _read(
        database, run_id=run_id, kind=None, run_tenant_id=None, states=None, before=None, limit=1
    )  # fmt: skip
    if not found:
        raise NotFound("job run", str(run_id))
    return found[0]


async def cancel_run(database: Database, run_id: UUID, *, now: datetime) -> JobState:
    """The state after the wish was recorded: a waiting run is `cancelled`, a running one ends at its next heartbeat.

    Raises `NotFound`, or `Conflict` for a run that has ended.
    """
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.CANCEL, {"run_id": run_id, "now": now})
    if not rows:
        ended = await show_run(database, run_id)
        raise Conflict(f"this run is {ended.state} already", subject_id=str(run_id))
    return JobState(rows[0]["state"])


async def retry_run(database: Database, run_id: UUID, *, now: datetime) -> None:
    """Put a failed or cancelled run in line again, its attempts counted anew. Raises `NotFound` or `Conflict`."""
    try:
        async with database.system() as tx:
            rows = await tx.fetch_last(queries.RETRY, {"run_id": run_id, "now": now})
    except UniqueViolated:
        raise Conflict("another run of this kind and tenant is live", subject_id=str(run_id)) from None
    if not rows:
        found = await show_run(database, run_id)
        raise Conflict(f"this run is {found.state}, neither failed nor cancelled", subject_id=str(run_id))


async def _read(database: Database, **parameters: object) -> list[RecordedRun]:
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.RUNS, parameters)
    return [RecordedRun(**{**row, "state": JobState(row["state"])}) for row in rows]
