"""Every background job, one record each. A kind is a word of telemetry: add it nowhere else."""

from datetime import timedelta
from functools import partial

from threengram.core.commitments.due import surface, tenants_with_due_commitments
from threengram.core.jobs.job import Job, JobContext
from threengram.worker.connections import Connections
from threengram.worker.settings import MAINTENANCE, Settings

QUARTER_HOUR_S = 15 * 60.0


async def _surface(context: JobContext, connections: Connections) -> bool:
    return await surface(context, grace=_grace(connections.settings))


def _grace(settings: Settings) -> timedelta:
    return timedelta(days=settings.commitment_grace_days)


def registry(settings: Settings) -> tuple[Job[Connections], ...]:
    """The jobs as these settings want them. One without a cadence runs only when something enqueues it."""
    return (
        Job(
            "surface",
            MAINTENANCE,
            _surface,
            cadence_s=QUARTER_HOUR_S,
            per_tenant=True,
            tenants=partial(tenants_with_due_commitments, grace=_grace(settings)),
        ),
    )
