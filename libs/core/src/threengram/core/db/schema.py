"""Which revision of the schema this code needs, and waiting for it.

A release brings its schema with it, but pods start in any order: new code waits, not ready, until the migrations that
it needs have run. Old code goes on serving on a newer schema, since those migrations only add (`deploy: pre`); what
takes away (`deploy: post`) runs when the old code is gone.
"""

import asyncio
import time

from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.core.errors import Unavailable

NEEDS = "0014"
"""The newest migration with `deploy: pre`."""

POLL_S = 0.5

IS_THERE = Statement(
    "schema_is_there",
    "SELECT has_schema_privilege('public', 'USAGE')"
    " AND has_table_privilege(to_regclass('public.alembic_version'), 'SELECT') IS TRUE AS is_there",
)
REVISION = Statement("schema_revision", "SELECT max(version_num) AS revision FROM alembic_version")


class SchemaBehind(Exception):
    """The database is older than this code; `revision` is what it has, or None."""

    def __init__(self, revision: str | None) -> None:
        super().__init__(f"the schema is at {revision or 'nothing'} and {NEEDS} is needed")
        self.revision = revision


async def revision(database: Database) -> str | None:
    """The revision of the database; None before the first migration."""
    async with database.system() as tx:
        if not (await tx.fetch(IS_THERE))[0]["is_there"]:
            return None
        found: str | None = (await tx.fetch(REVISION))[0]["revision"]
        return found


async def check(database: Database, *, needs: str = NEEDS) -> bool:
    """Whether the schema is newer than what this code knows; raises `SchemaBehind` when it is older.

    Revisions are numbers of four digits, so their order is that of their text.
    """
    found = await revision(database)
    if found is None or found < needs:
        raise SchemaBehind(found)
    return found > needs


async def open_when_ready(database: Database, *, timeout_s: float, needs: str = NEEDS) -> None:
    """Open the database once it answers and its schema is new enough; raises the last reason at the deadline."""
    deadline = time.monotonic() + timeout_s
    await database.open(timeout_s=timeout_s)
    while True:
        try:
            await check(database, needs=needs)
        except (SchemaBehind, Unavailable):
            if time.monotonic() >= deadline:
                raise
        else:
            return
        await asyncio.sleep(POLL_S)
