"""Every background job, one record each. A kind is a word of telemetry: add it nowhere else."""

from datetime import timedelta
from functools import partial

from threengram.core.commitments.job import surface, tenants_with_due_commitments
from threengram.core.consolidation.job import consolidate, tenants_to_consolidate
from threengram.core.erasure import erase
from threengram.core.erasure.request import ATTEMPTS as ERASE_ATTEMPTS
from threengram.core.erasure.request import ERASE
from threengram.core.jobs.job import Job, JobContext
from threengram.core.upkeep import Retention, purge
from threengram.worker.connections import Connections
from threengram.worker.settings import CONSOLIDATE, MAINTENANCE, Settings

QUARTER_HOUR_S = 15 * 60.0
HOUR_S = 60 * 60.0
DAY_S = 24 * HOUR_S


async def _surface(context: JobContext, connections: Connections) -> bool:
    return await surface(context, grace=_grace(connections.settings))


async def _purge(context: JobContext, connections: Connections) -> bool:
    settings = connections.settings
    retention = Retention(
        runs=timedelta(days=settings.job_runs_kept_days), failed_runs=timedelta(days=settings.failed_runs_kept_days)
    )
    return await purge(context, retention)


async def _erase(context: JobContext, _connections: Connections) -> bool:
    return await erase(context)


async def _consolidate(context: JobContext, connections: Connections) -> bool:
    max_open = connections.settings.consolidation_max_open
    return await consolidate(context, max_open=max_open, refinement=connections.refinement)


def _grace(settings: Settings) -> timedelta:
    return timedelta(days=settings.commitment_grace_days)


def registry(settings: Settings) -> tuple[Job[Connections], ...]:
    """The jobs as these settings want them. One without a cadence runs only when something enqueues it."""
    consolidating = Job(
        "consolidate",
        CONSOLIDATE,
        _consolidate,
        cadence_s=HOUR_S if settings.consolidation_enabled else None,
        per_tenant=True,
        tenants=tenants_to_consolidate,
    )
    return (
        consolidating,
        Job(
            "surface",
            MAINTENANCE,
            _surface,
            cadence_s=QUARTER_HOUR_S,
            per_tenant=True,
            tenants=partial(tenants_with_due_commitments, grace=_grace(settings)),
        ),
        Job("purge", MAINTENANCE, _purge, cadence_s=DAY_S, time_limit_s=HOUR_S),
        Job(ERASE, MAINTENANCE, _erase, attempts=ERASE_ATTEMPTS, time_limit_s=HOUR_S, serves_erased=True),
    )
