"""Which generations of embeddings there are, and where each of them stands. By the owner's role."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import psycopg

from threengram.migrations.index import IndexState, index_state
from threengram.schema.enums import ModelState

LAG_S = 60.0
"""A row that has waited longer than this is missing; a younger one is on its way."""

FAILING_TRIES = 5
"""A row that was tried so often is not likely to get its vectors by itself."""

_COLUMNS = (
    "id, name, dimensions, state, is_metered, calibration, fill_began_at, enqueued_at, enqueued_rows, activated_at"
)


class NoSuchModel(LookupError):
    """No generation has that name."""


class Obstacle(StrEnum):
    """Why a generation should not be switched to."""

    INCOMPLETE = "incomplete"
    UNINDEXED = "unindexed"
    UNCALIBRATED = "uncalibrated"


@dataclass(frozen=True, slots=True)
class Generation:
    """One row of `embedding_models`. `enqueued_at` says when every memory had a row or its vectors."""

    id: int
    name: str
    dimensions: int
    state: ModelState
    is_metered: bool
    calibration: dict[str, Any] | None
    fill_began_at: datetime | None
    enqueued_at: datetime | None
    enqueued_rows: int
    activated_at: datetime | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a generation has come.

    `waiting` counts all its rows, `missing` those of its fill and those that have waited too long; `failing` the rows
    that were tried several times in vain. `rate` is texts per second since the fill began, `eta_s` what is left at that
    rate.
    """

    generation: Generation
    waiting: int
    missing: int
    failing: int
    rate: float | None
    eta_s: float | None
    index: IndexState

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """What speaks against using it now."""
        found = {
            Obstacle.INCOMPLETE: self.generation.enqueued_at is None or self.missing > 0,
            Obstacle.UNINDEXED: not self.index.is_complete,
            Obstacle.UNCALIBRATED: self.generation.calibration is None,
        }
        return tuple(obstacle for obstacle, stands in found.items() if stands)


def find(owner: psycopg.Connection, name: str) -> Generation:
    """The generation of that name. Raises `NoSuchModel`."""
    for generation in generations(owner):
        if generation.name == name:
            return generation
    raise NoSuchModel(f"no embedding model is registered as {name}; there are {_names(owner)}")


def generations(owner: psycopg.Connection) -> list[Generation]:
    """All of them, in the order of their registration."""
    rows = owner.execute(f"SELECT {_COLUMNS} FROM embedding_models ORDER BY id").fetchall()  # noqa: S608 (constants)
    return [replace(Generation(*row), state=ModelState(row[3])) for row in rows]


def progress(owner: psycopg.Connection, generation: Generation, *, now: datetime) -> Progress:
    """How far a generation has come by now."""
    with owner.transaction():
        owner.execute("SET LOCAL ROLE tg_sweeper")
        row = owner.execute(
            "SELECT count(*), count(*) FILTER (WHERE enqueued_at <= %(until)s OR enqueued_at < %(late)s),"
            " count(*) FILTER (WHERE attempts >= %(tries)s) FROM embedding_jobs WHERE model_id = %(id)s",
            {
                "id": generation.id,
                "tries": FAILING_TRIES,
                "until": generation.enqueued_at,
                "late": now - timedelta(seconds=LAG_S),
            },
        ).fetchone()
    assert row is not None
    waiting, missing, failing = map(int, row)
    rate = _rate(generation, missing, now)
    return Progress(
        generation=generation,
        waiting=waiting,
        missing=missing,
        failing=failing,
        rate=rate,
        eta_s=missing / rate if rate else None,
        index=index_state(owner, model_id=generation.id),
    )


def _rate(generation: Generation, missing: int, now: datetime) -> float | None:
    """Texts per second since the fill began; None before there is anything to divide, and after its end."""
    if generation.fill_began_at is None or missing == 0:
        return None
    elapsed_s = (now - generation.fill_began_at).total_seconds()
    done = generation.enqueued_rows - missing
    return done / elapsed_s if elapsed_s > 0 and done > 0 else None


def _names(owner: psycopg.Connection) -> str:
    return ", ".join(generation.name for generation in generations(owner)) or "none"
