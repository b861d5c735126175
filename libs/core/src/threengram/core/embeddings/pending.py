"""Fill in missing vectors: claim job rows, embed their memories, store the windows, delete the rows.

Claims carry a lease and a token, so that the rows of a worker that died are taken over when the lease ends, and a slow
worker cannot postpone what its successor holds. A row that fails waits longer each time and never holds up the others;
when the database goes away the claimed rows are left to the end of their lease.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from uuid import UUID

import psycopg

from threengram.core.db.database import Database
from threengram.core.db.statement import Row, Step
from threengram.core.embeddings import queries
from threengram.core.embeddings.embedder import Embedder, EmbedderUnavailable, EmbeddingFailed
from threengram.core.embeddings.store import storing
from threengram.core.errors import TookTooLong, Unavailable
from threengram.core.ids import new_id
from threengram.core.principal import Principal
from threengram.schema.enums import ActorKind, ModelState

BATCH_ROWS = 32
CONCURRENCY = 4
FIRST_BACKOFF_S = 2
MAX_BACKOFF_S = 600
OUTAGE_BACKOFF_S = 2
NIL = UUID(int=0)


class Outcome(Enum):
    """What became of one row."""

    STORED = "stored"
    FAILED = "failed"
    RELEASED = "released"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Filled:
    """What one batch did.

    Rows released, because of an outage of the embedder or the end of the lease, were not counted as tries; rows left,
    because the database went away, come back with the end of their lease.
    """

    claimed: int
    stored: int
    failed: int
    released: int
    left: int

    @property
    def is_full(self) -> bool:
        """Whether as many rows as one batch holds were tried, so that more are likely to be due."""
        return self.stored + self.failed == BATCH_ROWS


@dataclass(frozen=True, slots=True)
class ServingModel:
    """A model whose vectors are wanted: the one that answers searches, or one that is being filled."""

    name: str
    dimensions: int
    is_metered: bool = False


@dataclass(frozen=True, slots=True)
class Backlog:
    """Rows of all models that wait or are being worked on, and how long the oldest has waited.

    No more than 10,000 rows of a model are counted: whoever scales or alerts by the figure asks every few seconds.
    """

    waiting: int
    oldest_age_s: float


async def serving_models(database: Database) -> list[ServingModel]:
    """The models with a claim on every memory; the active one first."""
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.SERVING_MODELS)
    rows.sort(key=lambda row: (str(row["state"]) != ModelState.ACTIVE, row["id"]))
    return [ServingModel(str(row["name"]), int(row["dimensions"]), bool(row["is_metered"])) for row in rows]


async def backlog(database: Database, *, now: datetime) -> Backlog:
    """How much is still to be embedded."""
    async with database.system() as tx:
        rows = await tx.fetch_last(queries.BACKLOG)
    oldest = min((row["oldest_enqueued_at"] for row in rows), default=now)
    return Backlog(sum(int(row["waiting"]) for row in rows), max(0.0, (now - oldest).total_seconds()))


async def embed_pending(
    database: Database,
    embedder: Embedder,
    *,
    now: datetime,
    lease_s: float,
    monotonic: Callable[[], float] = time.monotonic,
) -> Filled:
    """One batch of due rows of the embedder's own model. Running it twice, or at several places, is harmless."""
    async with database.system() as tx:
        models = await tx.fetch_last(queries.SERVING_MODELS)
    model_id = next((int(row["id"]) for row in models if row["name"] == embedder.model_name), None)
    if model_id is None:
        return Filled(0, 0, 0, 0, 0)
    batch = _Batch(database, embedder, model_id, now, stop_at=monotonic() + lease_s / 2, monotonic=monotonic)
    outcomes = await batch.run(lease_s)
    return Filled(
        claimed=len(outcomes),
        stored=outcomes.count(Outcome.STORED),
        failed=outcomes.count(Outcome.FAILED),
        released=outcomes.count(Outcome.RELEASED),
        left=outcomes.count(Outcome.LEFT),
    )


class _Batch:
    """One claim. After half the lease nothing new is begun, and what was begun must end within the other half."""

    def __init__(
        self, database: Database, embedder: Embedder, model_id: int, now: datetime, *, stop_at: float,
        monotonic: Callable[[], float],
    ) -> None:  # fmt: skip
        self._database = database
        self._embedder = embedder
        self._model_id = model_id
        self._now = now
        self._stop_at = stop_at
        self._monotonic = monotonic
        self._lease_token = new_id()
        self._is_interrupted = False
        self._slots = asyncio.Semaphore(CONCURRENCY)

    async def run(self, lease_s: float) -> list[Outcome]:
        """The outcome of every claimed row."""
        rows = await self._claim(timedelta(seconds=lease_s))
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._fill(row, timeout_s=lease_s / 2)) for row in rows]
        return [task.result() for task in tasks]

    async def _claim(self, lease: timedelta) -> list[Row]:
        parameters = {
            "model_id": self._model_id,
            "limit": BATCH_ROWS,
            "now": self._now,
            "lease_until": self._now + lease,
            "lease_token": self._lease_token,
        }
        async with self._database.system() as tx:
            return await tx.fetch_last(queries.CLAIM_JOBS, parameters)

    async def _fill(self, row: Row, *, timeout_s: float) -> Outcome:
        principal = Principal(row["tenant_id"], NIL, NIL, frozenset(), ActorKind.WORKER)
        async with self._slots:
            try:
                return await self._attempt(principal, row, timeout_s)
            except Unavailable:
                self._is_interrupted = True
                return Outcome.LEFT

    async def _attempt(self, principal: Principal, row: Row, timeout_s: float) -> Outcome:
        if self._is_interrupted or self._monotonic() >= self._stop_at:
            return await self._release(principal, row)
        parent = row["traceparent"] or ""
        with self._database.observer.span("job.embed", memory_id=str(row["memory_id"]), traceparent=parent):
            try:
                await self._embed(principal, row, timeout_s)
            except (EmbeddingFailed, TookTooLong, psycopg.Error) as error:
                return await self._postpone(principal, row, error)
            except EmbedderUnavailable:
                self._is_interrupted = True
                return await self._release(principal, row)
        return Outcome.STORED

    async def _embed(self, principal: Principal, row: Row, timeout_s: float) -> None:
        key = self._key(row)
        async with self._database.tenant(principal) as tx:
            texts = await tx.fetch_last(queries.PENDING_TEXT, key)
        if not texts:
            return
        topic, content = texts[0]["topic"], texts[0]["content"]
        with self._database.observer.span("client.embed", priority="backfill"):
            vectors = await self._embedder.embed_document(
                topic, content, timeout_s=timeout_s, first_window_only=False, priority="backfill"
            )
        steps = [storing(row["memory_id"], self._model_id, vectors), Step(queries.DELETE_JOB, key)]
        async with self._database.tenant(principal) as tx:
            await tx.run(steps, commit=True)

    async def _release(self, principal: Principal, row: Row) -> Outcome:
        await self._return_row(principal, row, OUTAGE_BACKOFF_S, error_class="EmbedderUnavailable", refund=1)
        return Outcome.RELEASED

    async def _postpone(self, principal: Principal, row: Row, error: Exception) -> Outcome:
        backoff_s = min(MAX_BACKOFF_S, FIRST_BACKOFF_S * 2 ** min(int(row["attempts"]), 16))
        await self._return_row(principal, row, backoff_s, error_class=type(error).__name__, refund=0)
        return Outcome.FAILED

    async def _return_row(
        self, principal: Principal, row: Row, backoff_s: float, *, error_class: str, refund: int
    ) -> None:
        parameters = {
            **self._key(row),
            "next_attempt_at": self._now + timedelta(seconds=backoff_s),
            "error_class": error_class,
            "refund": refund,
        }
        async with self._database.tenant(principal) as tx:
            await tx.fetch_last(queries.POSTPONE_JOB, parameters)

    def _key(self, row: Row) -> dict[str, object]:
        return {"memory_id": row["memory_id"], "model_id": self._model_id, "lease_token": self._lease_token}
