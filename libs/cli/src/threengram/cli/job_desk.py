"""Job runs of a running stack: listed, shown, enqueued, cancelled, brought back to life."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from threengram.cli.errors import CannotRun
from threengram.core.db.database import Database
from threengram.core.errors import Error
from threengram.core.identity import provision
from threengram.core.jobs.job import Job
from threengram.core.jobs.queue import enqueue
from threengram.core.jobs.runs import RecordedRun, cancel_run, list_runs, retry_run, show_run
from threengram.schema.enums import JobState
from threengram.schema.instants import format_instant
from threengram.worker.registry import registry
from threengram.worker.settings import Settings


@dataclass(frozen=True)
class JobDesk:
    """Acts on one database as the runtime role."""

    runtime_url: str = field(repr=False)

    async def answer(self, request: dict[str, Any], now: datetime) -> dict[str, Any]:
        """The answer to a `jobs` request of the control socket; raises `CannotRun` for what can't be done."""
        async with self._database() as database:
            match request:
                case {"action": "list", "kind": kind, "states": list(states), "limit": int(limit)}:
                    found = await list_runs(database, kind=kind, states=_states(states), limit=limit)
                    return {"runs": [_shown(run) for run in found]}
                case {"action": "show", "id": str(run_id)}:
                    return _shown(await show_run(database, _id(run_id)))
                case {"action": "run", "kind": str(kind), "email": email}:
                    return await _enqueued(database, kind, email, now)
                case {"action": "cancel", "id": str(run_id)}:
                    return {"state": await cancel_run(database, _id(run_id), now=now)}
                case {"action": "retry", "id": str(run_id)}:
                    await retry_run(database, _id(run_id), now=now)
                    return {"state": JobState.QUEUED}
                case _:
                    raise CannotRun("unknown jobs request")

    @asynccontextmanager
    async def _database(self) -> AsyncIterator[Database]:
        database = Database(self.runtime_url, pool_min=1, pool_max=1)
        await database.open()
        try:
            yield database
        except Error as error:
            raise CannotRun(str(error), exit_code=1) from error
        finally:
            await database.close()


async def _enqueued(database: Database, kind: str, email: str | None, now: datetime) -> dict[str, Any]:
    job = _job(kind)
    tenant_id = None
    if email is not None:
        user = await provision.find_user(database, email)
        if user is None:
            raise CannotRun("there is no such user; `threengram user list` names them")
        tenant_id = user.tenant_id
    if tenant_id is None and job.cadence_s is None:
        raise CannotRun(f"{kind} runs only when it is asked for in its own way")
    if tenant_id is not None and not job.per_tenant:
        raise CannotRun(f"{kind} is not run for a single account")
    run_id = await enqueue(database, job.kind, job.queue, tenant_id, now=now, max_attempts=job.attempts)
    if run_id is None:
        raise CannotRun(f"a run of {kind} waits or works already; `threengram jobs list --kind {kind}`", exit_code=1)
    return {"id": str(run_id)}


def _job(kind: str) -> Job[Any]:
    jobs = {job.kind: job for job in registry(Settings.model_construct())}
    if kind not in jobs:
        raise CannotRun(f"there are {', '.join(sorted(jobs))}")
    return jobs[kind]


def _states(names: list[str]) -> tuple[JobState, ...] | None:
    try:
        return tuple(JobState(name) for name in names) or None
    except ValueError:
        raise CannotRun(f"--state: there are {', '.join(JobState)}") from None


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise CannotRun("give the id of a run as `threengram jobs list` shows it") from None


def _shown(run: RecordedRun) -> dict[str, Any]:
    instants = {
        "enqueuedAt": run.enqueued_at,
        "dueAt": run.scheduled_at,
        "startedAt": run.started_at,
        "heartbeatAt": run.heartbeat_at,
        "finishedAt": run.finished_at,
        "cancelAskedAt": run.cancel_asked_at,
    }
    return {
        "id": str(run.id),
        "kind": run.kind,
        "queue": run.queue,
        "tenantId": None if run.tenant_id is None else str(run.tenant_id),
        "state": run.state,
        "attempts": run.attempts,
        "maxAttempts": run.max_attempts,
        "outcome": run.outcome,
        "errorClass": run.error_class,
        "counts": run.counts,
        **{name: None if instant is None else format_instant(instant) for name, instant in instants.items()},
    }
