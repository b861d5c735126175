"""One run becomes one for each tenant with work, a page at a time: memory does not grow with the number of tenants."""

from threengram.core.jobs.job import Job, JobContext, Resources
from threengram.core.jobs.queue import enqueueing


async def fan_out(context: JobContext, job: Job[Resources]) -> None:
    """Enqueue a run of `job` for every tenant that it lists.

    A second pass over the same slot, after a crash, enqueues nothing twice, be the first runs done or not.
    """
    after = None
    while page := await job.tenants(context.database, after, context.clock()):
        step = enqueueing(
            job.kind,
            job.queue,
            page,
            now=context.clock(),
            slot=context.run.slot,
            max_attempts=job.attempts,
            traceparent=context.database.observer.traceparent(),
        )
        async with context.database.system() as tx:
            made = await tx.fetch_last(step.statement, step.parameters)
        context.counts["tenants"] += len(page)
        context.counts["queued"] += len(made)
        after = page[-1]
