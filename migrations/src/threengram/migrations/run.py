"""Bring a database to the newest schema: `python -m threengram.migrations.run` with the owner's URL in the settings."""

from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from psycopg import sql
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import make_url

from threengram.migrations.locks import MIGRATION_LOCK, held, until_true

RUNTIME_ROLE = "threengram_runtime"

_HERE = Path(__file__).parent


def upgrade(owner_url: str, *, runtime_password: str, runtime_role: str = RUNTIME_ROLE) -> None:
    """Run pending migrations and then `roles.sql`, as the owner, under an advisory lock.

    An empty `runtime_password` leaves the role's password as it is (managed elsewhere).
    """
    engine = create_engine(make_url(owner_url).set(drivername="postgresql+psycopg"))
    try:
        with engine.connect() as connection:
            until_true(lambda: _locked(connection))
            connection.execute(text("SET lock_timeout = '5s'"))
            connection.commit()
            config = Config()
            config.set_main_option("script_location", str(_HERE))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": MIGRATION_LOCK})
            connection.commit()
    finally:
        engine.dispose()
    with psycopg.connect(owner_url, autocommit=True) as owner, held(owner, MIGRATION_LOCK), owner.transaction():
        _apply_roles(owner, runtime_role, runtime_password)


def _locked(connection: Connection) -> bool:
    """Whether the migrator's turn has come; nothing is held while it has not."""
    taken = connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": MIGRATION_LOCK}).scalar()
    connection.commit()
    return bool(taken)


def _apply_roles(owner: psycopg.Connection, runtime_role: str, runtime_password: str) -> None:
    for name, value in (("threengram.runtime_role", runtime_role), ("threengram.runtime_password", runtime_password)):
        owner.execute("SELECT set_config(%s, %s, true)", (name, value))
    owner.execute(sql.SQL((_HERE / "roles.sql").read_text()))
