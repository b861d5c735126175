"""The tasks. A message says which queue to look at; what is due there stands in rows."""

import time
from collections import Counter as Tally
from dataclasses import asdict

from celery import Celery

from threengram.core.embeddings.embedder import Embedder
from threengram.core.embeddings.pending import embed_pending
from threengram.runtime.metrics import EMBEDDING_ROWS
from threengram.worker.app import EMBED_PENDING, TASKS, time_limit_s
from threengram.worker.connections import Connections
from threengram.worker.lanes import OPENING_LIMIT_S, Lanes
from threengram.worker.settings import CONSOLIDATE, EMBED, MAINTENANCE
from threengram.worker.task_runner import Counts, RungTask, TaskRunner

_CLAIMED = "claimed"


def register(app: Celery, runner: TaskRunner, lanes: Lanes, connections: Connections) -> None:
    """Make the task of every queue known to a worker's application."""

    def ring(queue: str) -> Counts:
        return runner.run(lanes.ring(queue), time_limit_s=OPENING_LIMIT_S)

    def embed() -> Counts:
        ring(EMBED)
        filling = Filling(runner, connections)
        counts = runner.run(filling.run(), time_limit_s=time_limit_s(connections.settings))
        if filling.has_more and not runner.is_stopping:
            # Behind whatever waits by now, so that a long backlog leaves the others their turns.
            app.send_task(EMBED_PENDING, queue=EMBED)
        return counts

    def consolidate() -> Counts:
        return ring(CONSOLIDATE)

    def maintain() -> Counts:
        return ring(MAINTENANCE)

    for queue, task in {EMBED: embed, CONSOLIDATE: consolidate, MAINTENANCE: maintain}.items():
        app.task(task, name=TASKS[queue], queue=queue, base=RungTask)


class Filling:
    """One turn at the missing vectors: batches of each serving model until few are left, or the turn is over."""

    def __init__(self, runner: TaskRunner, connections: Connections) -> None:
        self._runner = runner
        self._connections = connections
        self.has_more = False

    async def run(self) -> Counts:
        """How many rows were claimed, and what became of them. Raises `Unavailable` without a database."""
        total: Tally[str] = Tally()
        settings = self._connections.settings
        embedders = await self._connections.embedders()
        stop_at = time.monotonic() + settings.lease_s
        for _ in range(settings.embed_rounds):
            if self._runner.is_stopping or time.monotonic() >= stop_at:
                break
            # The active model comes first in every round: what was just written never waits for a generation to fill.
            if not any([await self._fill(embedder, total) for embedder in embedders]):
                return dict(total)
        self.has_more = True
        return dict(total)

    async def _fill(self, embedder: Embedder, total: Tally[str]) -> bool:
        """Whether more rows of the model are likely to be due."""
        filled = await embed_pending(
            self._connections.database,
            embedder,
            now=self._connections.clock(),
            lease_s=self._connections.settings.lease_s,
        )
        counts = asdict(filled)
        total.update(counts)
        for outcome in counts.keys() - {_CLAIMED}:
            EMBEDDING_ROWS.labels(outcome).inc(counts[outcome])
        return filled.is_full
