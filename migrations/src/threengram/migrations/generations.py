"""Generations of embeddings: registered, filled while another one serves, switched to, retired. By the owner's role.

`building` means kept complete beside the one that serves: so is a generation that is still being filled, and so is the
former one after a switch, which can therefore be switched back to at once.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from threengram.migrations.calibration import shipped_calibration
from threengram.migrations.filling import delete_everything, enqueue_missing
from threengram.migrations.index import IndexState, build_index, drop_index, index_state
from threengram.migrations.locks import MIGRATION_LOCK, await_writers, held
from threengram.schema.enums import ModelState

LAG_S = 60.0
"""A row that has waited longer than this is missing; a younger one is on its way."""

FAILING_TRIES = 5
"""A row that was tried so often is not likely to get its vectors by itself."""

_COLUMNS = (
    "id, name, dimensions, state, is_metered, calibration, fill_began_at, enqueued_at, enqueued_rows, activated_at"
)
_SWITCH = """
UPDATE embedding_models
SET state = CASE WHEN id = %(id)s THEN 'active' ELSE 'building' END,
    activated_at = CASE WHEN id = %(id)s THEN %(now)s ELSE activated_at END
WHERE state = 'active' OR id = %(id)s
"""


class NoSuchModel(LookupError):
    """No generation has that name."""


class WrongState(ValueError):
    """The generation is not in a state in which that can be done."""


class Obstacle(StrEnum):
    """Why a generation should not be switched to."""

    INCOMPLETE = "incomplete"
    UNINDEXED = "unindexed"
    UNCALIBRATED = "uncalibrated"


class NotReady(WrongState):
    """Obstacles stand between a generation and its use."""

    def __init__(self, obstacles: Collection[Obstacle]) -> None:
        super().__init__(", ".join(obstacles))
        self.obstacles = tuple(obstacles)


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


def ensure_model(owner_url: str, *, name: str, dimensions: int, is_metered: bool = False) -> int:
    """The id of the model, registered as active when it is the first one and its index built on every partition.

    A further model is a generation of its own, so this refuses to replace an active one. A calibration that this
    release ships for a model in use is stored anew; one that was brought stays.
    """
    with psycopg.connect(owner_url, autocommit=True) as owner:
        with held(owner, MIGRATION_LOCK):
            active = next((one for one in generations(owner) if one.state is ModelState.ACTIVE), None)
            if active is not None and active.name != name:
                raise WrongState(f"the active embedding model is {active.name}; to change it, add and activate another")
            if active is None:
                active = _insert(owner, name, dimensions, is_metered, ModelState.ACTIVE)
            _store_shipped_calibrations(owner)
        build_index(owner, model_id=active.id, dimensions=active.dimensions)
        return active.id


def add(owner: psycopg.Connection, *, name: str, dimensions: int, is_metered: bool, now: datetime) -> Generation:
    """Register a generation beside the active one and leave a row for all that it lacks; may be repeated."""
    with held(owner, MIGRATION_LOCK):
        known = next((one for one in generations(owner) if one.name == name), None)
        if known is not None and known.dimensions != dimensions:
            raise WrongState(f"{name} is registered with {known.dimensions} dimensions")
        if known is not None and known.state is ModelState.ACTIVE:
            raise WrongState(f"{name} is the active model")
        if known is None:
            known = _insert(owner, name, dimensions, is_metered, ModelState.BUILDING)
        if known.enqueued_at is None or known.state is ModelState.RETIRED:
            _fill(owner, known, now)
        _store_shipped_calibrations(owner)
    return find(owner, name)


def build(owner: psycopg.Connection, name: str) -> IndexState:
    """Build what is missing of the generation's index."""
    generation = find(owner, name)
    if generation.state is ModelState.RETIRED:
        raise WrongState(f"{name} is retired")
    build_index(owner, model_id=generation.id, dimensions=generation.dimensions)
    return index_state(owner, model_id=generation.id)


def calibrate(owner: psycopg.Connection, name: str, calibration: dict[str, float]) -> None:
    """Store what `confident` of a search weighs with the generation."""
    generation = find(owner, name)
    owner.execute("UPDATE embedding_models SET calibration = %s WHERE id = %s", (Jsonb(calibration), generation.id))


def activate(owner: psycopg.Connection, name: str, *, now: datetime, despite: Collection[Obstacle] = ()) -> Generation:
    """Let the generation serve and keep the former one complete. By one statement: a call sees the one or the other.

    Raises `NotReady` for an obstacle that is not among `despite`.
    """
    with held(owner, MIGRATION_LOCK):
        found = progress(owner, find(owner, name), now=now)
        if found.generation.state is ModelState.RETIRED:
            raise WrongState(f"{name} is retired; add it again")
        if in_the_way := [obstacle for obstacle in found.obstacles if obstacle not in despite]:
            raise NotReady(in_the_way)
        if found.generation.state is not ModelState.ACTIVE:
            owner.execute(_SWITCH, {"id": found.generation.id, "now": now})
    return find(owner, name)


def retire(owner: psycopg.Connection, name: str) -> int:
    """Stop keeping the generation, and delete its rows, vectors and index; how many vectors there were.

    May be repeated after an interruption. The active one can't be retired.
    """
    with held(owner, MIGRATION_LOCK):
        generation = find(owner, name)
        if generation.state is ModelState.ACTIVE:
            raise WrongState(f"{name} is the active model; activate another one first")
        owner.execute(
            "UPDATE embedding_models SET state = 'retired', enqueued_at = NULL, enqueued_rows = 0 WHERE id = %s",
            (generation.id,),
        )
        # Whoever still thinks that it is wanted has finished; from now on nothing is stored for it.
        await_writers(owner)
        deleted = delete_everything(owner, model_id=generation.id)
    drop_index(owner, model_id=generation.id)
    return deleted


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


def _insert(owner: psycopg.Connection, name: str, dimensions: int, is_metered: bool, state: ModelState) -> Generation:
    owner.execute(
        "INSERT INTO embedding_models"
        " (id, name, dimensions, state, is_metered, created_at, fill_began_at, enqueued_at, activated_at)"
        " SELECT coalesce(max(id), 0) + 1, %(name)s, %(dimensions)s, %(state)s, %(is_metered)s, now(),"
        "        %(first)s, %(first)s, %(first)s FROM embedding_models",
        {
            "name": name,
            "dimensions": dimensions,
            "state": state,
            "is_metered": is_metered,
            # The first model is there before the first memory: it lacks nothing.
            "first": datetime.now(UTC) if state is ModelState.ACTIVE else None,
        },
    )
    return find(owner, name)


def _fill(owner: psycopg.Connection, generation: Generation, now: datetime) -> None:
    owner.execute(
        "UPDATE embedding_models SET state = 'building', fill_began_at = %s WHERE id = %s AND state <> 'active'",
        (now, generation.id),
    )
    await_writers(owner)
    enqueue_missing(owner, model_id=generation.id, now=now)
    with owner.transaction():
        owner.execute("SET LOCAL ROLE tg_sweeper")
        row = owner.execute(
            "SELECT count(*) FROM embedding_jobs WHERE model_id = %s AND enqueued_at <= %s", (generation.id, now)
        ).fetchone()
    owner.execute(
        "UPDATE embedding_models SET enqueued_at = %s, enqueued_rows = %s WHERE id = %s",
        (now, row[0] if row else 0, generation.id),
    )


def _store_shipped_calibrations(owner: psycopg.Connection) -> None:
    for generation in generations(owner):
        if (shipped := shipped_calibration(generation.name)) is not None and shipped != generation.calibration:
            calibrate(owner, generation.name, shipped)


def _names(owner: psycopg.Connection) -> str:
    return ", ".join(generation.name for generation in generations(owner)) or "none"
