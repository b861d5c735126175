"""Waiting for a database that is still being made, or for its schema."""

import time
from collections.abc import Callable
from typing import Final

import psycopg

from threengram.core.db.schema import NEEDS

POLL_S: Final = 1.0
CONNECT_TIMEOUT_S: Final = 5


class NotReadyInTime(Exception):
    """The database did not come up, or its schema did not, before the deadline."""


def for_database(owner_url: str, *, timeout_s: float) -> None:
    """Return once the owner can connect."""

    def connects() -> bool:
        psycopg.connect(owner_url, connect_timeout=CONNECT_TIMEOUT_S).close()
        return True

    _until(connects, timeout_s, "the database does not let its owner in")


def for_schema(owner_url: str, *, timeout_s: float, needs: str = NEEDS) -> None:
    """Return once the migrations that this release needs have run."""

    def has_come() -> bool:
        with psycopg.connect(owner_url, connect_timeout=CONNECT_TIMEOUT_S) as owner:
            if owner.execute("SELECT to_regclass('public.alembic_version')").fetchone() == (None,):
                return False
            found = owner.execute("SELECT max(version_num) FROM alembic_version").fetchone()
            return found is not None and found[0] is not None and found[0] >= needs

    _until(has_come, timeout_s, f"the schema has not reached {needs}")


def _until(is_so: Callable[[], bool], timeout_s: float, otherwise: str) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            if is_so():
                return
        except psycopg.OperationalError:
            # Not there yet, or in the middle of a restart or failover.
            pass
        if time.monotonic() >= deadline:
            raise NotReadyInTime(otherwise)
        time.sleep(POLL_S)
