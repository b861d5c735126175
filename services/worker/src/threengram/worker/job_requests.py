"""Job runs as whoever runs the machine handles them: listed, shown, enqueued, cancelled, brought back; and erasures."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from threengram.core.db.database import Database
from threengram.core.erasure import request_erasure
from threengram.core.errors import Conflict, InvalidRequest, NotFound
from threengram.core.identity import provision
from threengram.core.jobs.job import Job
from threengram.core.jobs.queue import enqueue
from threengram.core.jobs.runs import RecordedRun, cancel_run, list_runs, retry_run, show_run
from threengram.core.principal import Principal
from threengram.schema.enums import JobState
from threengram.schema.instants import format_instant
from threengram.worker.registry import registry
from threengram.worker.settings import Settings


async def answer(database: Database, request: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """What a request comes to, as JSON; raises an error of core, `InvalidRequest` for what nobody can do."""
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
        case {"action": "erase", "email": str(email)}:
            asked = await request_erasure(database, await _user(database, email), now=now)
            return {"id": str(asked.run_id)}
        case _:
            raise InvalidRequest("unknown jobs request")


async def _user(database: Database, email: str) -> Principal:
    user = await provision.find_user(database, email)
    if user is None:
        raise NotFound("user")
    return user


async def _enqueued(database: Database, kind: str, email: str | None, now: datetime) -> dict[str, Any]:
    job = _job(kind)
    tenant_id = None if email is None else (await _user(database, email)).tenant_id
    if tenant_id is None and job.cadence_s is None:
        raise InvalidRequest(f"{kind} runs only when it is asked for in its own way")
    if tenant_id is not None and not job.per_tenant:
        raise InvalidRequest(f"{kind} is not run for a single account")
    run_id = await enqueue(database, job.kind, job.queue, tenant_id, now=now, max_attempts=job.attempts)
    if run_id is None:
        raise Conflict(f"a run of {kind} waits or works already")
    return {"id": str(run_id)}


def _job(kind: str) -> Job[Any]:
    jobs = {job.kind: job for job in registry(Settings.model_construct())}
    if kind not in jobs:
        raise InvalidRequest(f"there are {', '.join(sorted(jobs))}")
    return jobs[kind]


def _states(names: list[str]) -> tuple[JobState, ...] | None:
    try:
        return tuple(JobState(name) for name in names) or None
    except ValueError:
        raise InvalidRequest(f"there are {', '.join(JobState)}") from None


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidRequest("give the id of a run as the list shows it") from None


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
