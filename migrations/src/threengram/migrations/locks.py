"""Waiting for one's turn, without a statement that waits.

Whoever waits inside a statement holds a snapshot, and `CREATE INDEX CONCURRENTLY` waits for every snapshot older than
its own: two migrators would wait for each other. So a lock is tried, and tried again.
"""

import contextlib
import time
from collections.abc import Callable, Iterator

import psycopg

MIGRATION_LOCK = 7_236_401
"""Lets one migrator at a time change the schema, the roles, or the list of models."""

INDEX_LOCK = 7_236_402
"""Lets one at a time build or drop an index. Nobody waits for it while holding the other one."""

POLL_S = 0.1
WAIT_S = 3_600.0


class StillLocked(Exception):
    """Somebody else has been at it for too long."""


def until_true(attempt: Callable[[], bool], *, wait_s: float = WAIT_S) -> None:
    """Try until it succeeds. Raises `StillLocked`."""
    give_up_at = time.monotonic() + wait_s
    while not attempt():
        if time.monotonic() > give_up_at:
            raise StillLocked(f"not free within {wait_s:g} s")
        time.sleep(POLL_S)


@contextlib.contextmanager
def held(owner: psycopg.Connection, key: int) -> Iterator[None]:
    """The session's advisory lock for the length of the block; the connection is in autocommit."""

    def taken() -> bool:
        row = owner.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()
        return row == (True,)

    until_true(taken)
    try:
        yield
    finally:
        owner.execute("SELECT pg_advisory_unlock(%s)", (key,))


def await_writers(owner: psycopg.Connection, *, wait_s: float = WAIT_S) -> None:
    """Return when every transaction that was writing a moment ago has ended; later ones see what is committed now.

    A transaction that wrote a memory has a transaction id before it asks which models serve. Raises `StillLocked`.
    """
    (begun,) = owner.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())").fetchone() or ("0",)

    def ended() -> bool:
        row = owner.execute("SELECT pg_snapshot_xmin(pg_current_snapshot()) >= %s::xid8", (str(begun),)).fetchone()
        return row == (True,)

    until_true(ended, wait_s=wait_s)
