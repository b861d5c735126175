"""What beat asks every few seconds: answered without reading a backlog to its end."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from tests.integration.worker.crowds import crowd, seeing_everybody
from tests.integration.worker.shelves import SHELF
from tests.integration.worker.writing import Diary
from threengram.core.db.statement import Statement
from threengram.core.embeddings import queries
from threengram.core.embeddings.pending import BATCH_ROWS, backlog
from threengram.core.ids import new_id
from threengram.core.jobs.figures import leased_embeddings
from threengram.core.jobs.queries import EMBEDDING_LEASES

pytestmark = pytest.mark.anyio

COUNTED = 10_000
TENANTS = 650
"""More memories than are counted."""

SLACK_ROWS = 100
"""Former versions of rows, and those that are read to see whether there is one."""
ROWS_READ = Statement(
    "test_rows_read",
    "SELECT sum(pg_stat_get_xact_tuples_returned(r.oid)) AS total FROM pg_class r"
    " WHERE r.oid = 'embedding_jobs'::regclass"
    " OR r.oid IN (SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = 'embedding_jobs'::regclass)",
)


async def rows_read(diary: Diary, statement: Statement, now: datetime) -> int:
    """Rows and entries of indexes; the server's own count goes on from one unit of work to the next."""
    async with diary.core.database.system() as tx:
        (before,) = await tx.fetch(ROWS_READ)
        await tx.fetch(statement, {"now": now})
        (after,) = await tx.fetch_last(ROWS_READ)
        return int(after["total"] - before["total"])


async def test_a_long_backlog_is_told_by_its_head_and_its_oldest_row(diary: Diary, own_owner_url: str) -> None:
    now = datetime.now(UTC)
    crowd(own_owner_url, tenants=TENANTS, shelf=SHELF)
    with psycopg.connect(own_owner_url) as owner, seeing_everybody(owner):
        # One has waited for a day and is due in an hour, behind all the others.
        owner.execute(
            "INSERT INTO embedding_jobs (tenant_id, memory_id, model_id, next_attempt_at, enqueued_at)"
            " SELECT tenant_id, id, 1, %(now)s + CASE n WHEN 1 THEN interval '1 hour' ELSE interval '0' END,"
            "  %(now)s - CASE n WHEN 1 THEN interval '1 day' ELSE interval '1 minute' END"
            " FROM (SELECT m.tenant_id, m.id, row_number() OVER () AS n FROM memories m) numbered",
            {"now": now},
        )
    with psycopg.connect(own_owner_url, autocommit=True) as owner:
        owner.execute("ANALYZE embedding_jobs")
    async with diary.core.database.system() as tx:
        claim = {"model_id": 1, "limit": BATCH_ROWS, "now": now, "lease_until": now + timedelta(minutes=1)}
        await tx.fetch_last(queries.CLAIM_JOBS, {**claim, "lease_token": new_id()})
    found = await backlog(diary.core.database, now=now)
    assert (found.waiting, found.oldest_age_s) == (COUNTED, timedelta(days=1).total_seconds())
    assert await leased_embeddings(diary.core.database, now=now) == BATCH_ROWS
    assert await rows_read(diary, queries.BACKLOG, now) <= COUNTED + SLACK_ROWS
    assert await rows_read(diary, EMBEDDING_LEASES, now) <= BATCH_ROWS + SLACK_ROWS
