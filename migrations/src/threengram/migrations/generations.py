"""Generations of embeddings: registered, filled while another one serves, switched to, retired. By the owner's role.

`building` means kept complete beside the one that serves: so is a generation that is still being filled, and so is the
former one after a switch, which can therefore be switched back to at once.
"""

from collections.abc import Collection
from datetime import UTC, datetime

import psycopg
from psycopg.types.json import Jsonb

from threengram.migrations.calibration import shipped_calibration
from threengram.migrations.filling import delete_everything, enqueue_missing
from threengram.migrations.index import IndexState, build_index, drop_index, index_state
from threengram.migrations.locks import MIGRATION_LOCK, await_writers, held
from threengram.migrations.status import Generation, Obstacle, find, generations, progress
from threengram.schema.enums import ModelState

_SWITCH = """
UPDATE embedding_models
SET state = CASE WHEN id = %(id)s THEN 'active' ELSE 'building' END,
    activated_at = CASE WHEN id = %(id)s THEN %(now)s ELSE activated_at END
WHERE state = 'active' OR id = %(id)s
"""


class WrongState(ValueError):
    """The generation is not in a state in which that can be done."""


class NotReady(WrongState):
    """Obstacles stand between a generation and its use."""

    def __init__(self, obstacles: Collection[Obstacle]) -> None:
        super().__init__(", ".join(obstacles))
        self.obstacles = tuple(obstacles)


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
