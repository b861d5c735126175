"""Carry out one attempt at a run: under its lease, within its time, with an end on record whatever happens."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic

from threengram.core.db.database import Database
from threengram.core.errors import TookTooLong, Unavailable
from threengram.core.jobs import queue as runs
from threengram.core.jobs.backoff import after_failure, after_outage
from threengram.core.jobs.fan_out import fan_out
from threengram.core.jobs.job import Job, JobContext, JobRun, Resources
from threengram.core.jobs.queue import LeaseLost
from threengram.core.time.clock import Clock
from threengram.schema.enums import JobOutcome, JobState

HEARTBEATS_PER_LEASE = 3
LEASE_ENDED = "LeaseEnded"
"""Error class of a run whose last attempt ended with its worker."""

_jitter = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Ended:
    """One attempt that is over. `error_class` stands with outcomes `retry`, `failed` and `released`."""

    run: JobRun
    outcome: JobOutcome
    counts: dict[str, int]
    error_class: str | None = None


class Executor(Generic[Resources]):
    """Claims runs of the jobs it knows and carries them out; calls may run side by side."""

    def __init__(
        self,
        database: Database,
        jobs: Iterable[Job[Resources]],
        resources: Resources,
        *,
        clock: Clock,
        lease_s: float,
    ) -> None:
        self._database = database
        self._jobs = {job.kind: job for job in jobs}
        self._resources = resources
        self._clock = clock
        self._lease_s = lease_s

    async def claim(self, queue: str) -> JobRun | None:
        """The run of `queue` that has been due longest, to be carried out now; None when none is."""
        kinds = [job.kind for job in self._jobs.values() if job.queue == queue]
        return await runs.claim(self._database, queue, kinds, now=self._clock(), lease_s=self._lease_s)

    async def carry_out(self, run: JobRun) -> Ended:
        """The end of this attempt.

        Raises `Unavailable` without a database, and `CancelledError` when this call is cancelled; the run then went
        back to the queue, the attempt uncounted.
        """
        context = JobContext(self._database, self._clock, run, Counter(run.counts))
        with self._database.observer.span(
            "job.run", kind=run.kind, job_run_id=str(run.id), traceparent=run.traceparent
        ):
            try:
                return await self._attempt(self._jobs[run.kind], context)
            except LeaseLost:
                return Ended(run, JobOutcome.LOST_LEASE, dict(context.counts))

    async def run_next(self, queue: str) -> Ended | None:
        """Claim a run and carry it out; None when none is due."""
        run = await self.claim(queue)
        return None if run is None else await self.carry_out(run)

    async def _attempt(self, job: Job[Resources], context: JobContext) -> Ended:
        run = context.run
        if run.is_cancel_asked:
            return await self._end(context, JobState.CANCELLED, JobOutcome.CANCELLED)
        if run.is_erased and not job.serves_erased:
            return await self._end(context, JobState.CANCELLED, JobOutcome.SKIPPED)
        if run.attempts > run.max_attempts:
            return await self._end(context, JobState.FAILED, JobOutcome.FAILED, error_class=LEASE_ENDED)
        attempt = _Attempt(context, self._lease_s)
        try:
            has_more = await attempt.carry_out(self._body(job, context), time_limit_s=job.time_limit_s)
        except _CancelAsked:
            return await self._end(context, JobState.CANCELLED, JobOutcome.CANCELLED)
        except asyncio.CancelledError:
            await asyncio.shield(self._release(context))
            raise
        except TookTooLong as error:
            # The database answers, and this run may be the only one whose statement is too much for it.
            return await self._fail(context, error)
        except Unavailable as error:
            return await self._postpone(context, error)
        except LeaseLost:
            raise
        except Exception as error:  # noqa: BLE001 - the one place of a worker where whatever a job raises ends its attempt
            return await self._fail(context, error)
        if has_more:
            return await self._end(context, JobState.QUEUED, JobOutcome.AGAIN, attempts=0)
        return await self._end(context, JobState.DONE, JobOutcome.OK)

    async def _body(self, job: Job[Resources], context: JobContext) -> bool:
        if job.per_tenant and context.run.tenant_id is None:
            await fan_out(context, job)
            return False
        return await job.run(context, self._resources)

    async def _end(
        self,
        context: JobContext,
        state: JobState,
        outcome: JobOutcome,
        *,
        attempts: int | None = None,
        error_class: str | None = None,
    ) -> Ended:
        attempts = context.run.attempts if attempts is None else attempts
        reached = await runs.end(context, state, outcome, attempts=attempts, error_class=error_class)
        if reached is not state:
            outcome = JobOutcome.CANCELLED
        return Ended(context.run, outcome, dict(context.counts), error_class)

    async def _fail(self, context: JobContext, error: Exception) -> Ended:
        run, error_class = context.run, type(error).__name__
        if run.attempts >= run.max_attempts:
            return await self._end(context, JobState.FAILED, JobOutcome.FAILED, error_class=error_class)
        wait = after_failure(run.attempts, _jitter.random())
        await runs.end(
            context, JobState.QUEUED, JobOutcome.RETRY, attempts=run.attempts, wait=wait, error_class=error_class
        )
        return Ended(run, JobOutcome.RETRY, dict(context.counts), error_class)

    async def _postpone(self, context: JobContext, error: Unavailable) -> Ended:
        """Something that the job needs is away: that is no attempt."""
        run, error_class = context.run, type(error).__name__
        wait = after_outage(_jitter.random())
        await runs.end(
            context, JobState.QUEUED, JobOutcome.RELEASED, attempts=run.attempts - 1, wait=wait, error_class=error_class
        )
        return Ended(run, JobOutcome.RELEASED, dict(context.counts), error_class)

    async def _release(self, context: JobContext) -> None:
        """This process ends: the run is due again at once. Without a database it is when its lease ends."""
        with suppress(LeaseLost, Unavailable):
            await runs.end(context, JobState.QUEUED, JobOutcome.RELEASED, attempts=context.run.attempts - 1)


class _CancelAsked(Exception):
    """Somebody wants the run to end."""


class _Attempt:
    """The job at work beside the heartbeats that keep its lease."""

    def __init__(self, context: JobContext, lease_s: float) -> None:
        self._context = context
        self._lease_s = lease_s

    async def carry_out(self, body: Awaitable[bool], *, time_limit_s: float) -> bool:
        """What the job returned or raised; `LeaseLost` or `_CancelAsked` if that ended it, `TimeoutError` past the
        limit.
        """
        working = asyncio.ensure_future(body)
        keeping = asyncio.create_task(self._keep())
        try:
            await asyncio.wait((working, keeping), timeout=time_limit_s, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            if keeping.done():
                keeping.result()
            raise TimeoutError
        finally:
            for task in (working, keeping):
                task.cancel()
            await asyncio.gather(working, keeping, return_exceptions=True)

    async def _keep(self) -> None:
        """Prolong the lease until it is lost or a cancellation is asked for; an outage is sat out."""
        while True:
            await asyncio.sleep(self._lease_s / HEARTBEATS_PER_LEASE)
            with suppress(Unavailable):
                if await runs.heartbeat(self._context, lease_s=self._lease_s):
                    raise _CancelAsked
