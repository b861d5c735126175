"""Bring a database to the newest schema, or as far as a phase of a rollout goes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import make_url

from threengram.migrations.locks import MIGRATION_LOCK, held, until_true
from threengram.migrations.phases import Phase, is_ahead, target

RUNTIME_ROLE = "threengram_runtime"

HOME = Path(__file__).parent


def upgrade(
    owner_url: str,
    *,
    runtime_password: str,
    runtime_role: str = RUNTIME_ROLE,
    phase: Phase = Phase.ALL,
    home: Path = HOME,
) -> str | None:
    """Run the pending migrations of `phase` and then `roles.sql`, as the owner, under an advisory lock.

    Returns the revision that the database has now. An empty `runtime_password` leaves the role's password as it is
    (managed elsewhere). `home` is the folder of `versions` and `roles.sql`. A later release's schema and roles are left
    alone. Raises `UnfinishedRelease`, or `NewerSchema` when `phase` is all of it.
    """
    scripts = history(home)
    engine = create_engine(make_url(owner_url).set(drivername="postgresql+psycopg"))
    try:
        with engine.connect() as connection:
            until_true(lambda: _locked(connection))
            connection.execute(text("SET lock_timeout = '5s'"))
            connection.commit()
            current = MigrationContext.configure(connection).get_current_revision()
            connection.commit()
            if is_ahead(scripts, current, phase):
                return current
            revision = _migrate(connection, current, target(scripts, current, phase), home)
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": MIGRATION_LOCK})
            connection.commit()
    finally:
        engine.dispose()
    with psycopg.connect(owner_url, autocommit=True) as owner, held(owner, MIGRATION_LOCK), owner.transaction():
        _apply_roles(
            owner,
            home,
            {"runtime_role": runtime_role, "runtime_password": runtime_password, "phase": phase.value},
        )
    return revision


def history(home: Path = HOME) -> ScriptDirectory:
    """Every migration, as Alembic knows them."""
    return ScriptDirectory.from_config(_config(home))


def retire(owner_url: str, roles: Sequence[str]) -> None:
    """Take grants and login from former runtime roles; what is not there or was retired before is left alone.

    A session that one of them still has open can't read or call anything any more. Where somebody else manages the
    role, its login is theirs to take.
    """
    with psycopg.connect(owner_url) as owner:
        for role in roles:
            if owner.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
                continue
            name = sql.Identifier(role)
            owner.execute(sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(name))
            owner.execute(sql.SQL("REVOKE ALL ON SCHEMA public FROM {}").format(name))
            if owner.execute(
                "SELECT pg_has_role(current_user, %s, 'MEMBER WITH ADMIN OPTION')", (role,)
            ).fetchone() == (True,):
                owner.execute(sql.SQL("ALTER ROLE {} NOLOGIN PASSWORD NULL").format(name))


def _config(home: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(HOME))
    config.set_main_option("version_locations", str(home / "versions"))
    config.set_main_option("path_separator", "newline")
    return config


def _migrate(connection: Connection, current: str | None, aim: str | None, home: Path) -> str | None:
    if aim is None:
        return current
    config = _config(home)
    config.attributes["connection"] = connection
    command.upgrade(config, aim)
    return aim


def _locked(connection: Connection) -> bool:
    """Whether the migrator's turn has come; nothing is held while it has not."""
    taken = connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": MIGRATION_LOCK}).scalar()
    connection.commit()
    return bool(taken)


def _apply_roles(owner: psycopg.Connection, home: Path, settings: Mapping[str, str]) -> None:
    owner.execute("SET LOCAL lock_timeout = '5s'")
    for name, value in settings.items():
        owner.execute("SELECT set_config(%s, %s, true)", (f"threengram.{name}", value))
    owner.execute(sql.SQL((home / "roles.sql").read_text()))
