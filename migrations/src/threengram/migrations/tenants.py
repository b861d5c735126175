"""Work on every tenant's rows by the owner, one tenant at a time: forced row security holds for the owner too."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import psycopg

PAGE = 500
_NIL = UUID(int=0)


def tenants(owner: psycopg.Connection) -> Iterator[UUID]:
    """Every tenant by id. Read page by page as the role that may see the list; the connection is in autocommit."""
    after = _NIL
    while True:
        with owner.transaction():
            owner.execute("SET LOCAL ROLE tg_sweeper")
            rows = owner.execute("SELECT id FROM tenants WHERE id > %s ORDER BY id LIMIT %s", (after, PAGE)).fetchall()
        yield from (row[0] for row in rows)
        if len(rows) < PAGE:
            return
        after = rows[-1][0]


@contextmanager
def bound(owner: psycopg.Connection, tenant_id: UUID) -> Iterator[None]:
    """A transaction that sees the rows of one tenant."""
    with owner.transaction():
        owner.execute("SELECT set_config('app.tenant_id', %s, true)", (str(tenant_id),))
        yield
