"""The tasks. Arguments are ids, and the body is one call into core."""

import time
from collections import Counter as Tally
from dataclasses import asdict

from celery import Celery

from threengram.core.embeddings.embedder import Embedder
from threengram.core.embeddings.pending import embed_pending
from threengram.runtime.metrics import EMBEDDING_ROWS
from threengram.worker.app import EMBED_PENDING
from threengram.worker.connections import Connections
from threengram.worker.jobs import Counts, Job, Jobs
from threengram.worker.settings import EMBED

_CLAIMED = "claimed"


def register(app: Celery, jobs: Jobs, connections: Connections) -> None:
    """Make the tasks known to a worker's application."""

    def embed() -> Counts:
        filling = Filling(jobs, connections)
        counts = jobs.run(filling.run())
        if filling.has_more and not jobs.is_stopping:
            # Behind whatever waits by now, so that a long backlog leaves the others their turns.
            app.send_task(EMBED_PENDING, queue=EMBED)
        return counts

    app.task(embed, name=EMBED_PENDING, queue=EMBED, base=Job)


class Filling:
    """One turn at the missing vectors: batches of each serving model until few are left, or the turn is over."""

    def __init__(self, jobs: Jobs, connections: Connections) -> None:
        self._jobs = jobs
        self._connections = connections
        self.has_more = False

    async def run(self) -> Counts:
        """How many rows were claimed, and what became of them. Raises `Unavailable` without a database."""
        total: Tally[str] = Tally()
        for embedder in await self._connections.embedders():
            await self._fill(embedder, total)
        return dict(total)

    async def _fill(self, embedder: Embedder, total: Tally[str]) -> None:
        settings = self._connections.settings
        stop_at = time.monotonic() + settings.lease_s
        for _ in range(settings.embed_rounds):
            if self._jobs.is_stopping or time.monotonic() >= stop_at:
                break
            filled = await embed_pending(
                self._connections.database, embedder, now=self._connections.clock(), lease_s=settings.lease_s
            )
            counts = asdict(filled)
            total.update(counts)
            for outcome in counts.keys() - {_CLAIMED}:
                EMBEDDING_ROWS.labels(outcome).inc(counts[outcome])
            if not filled.is_full:
                return
        self.has_more = True
