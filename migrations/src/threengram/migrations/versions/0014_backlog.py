"""What waits for vectors is told without reading all of it.

deploy: pre

The figures are asked for every few seconds, and a backlog is longest when nothing else happens: after an import, while
a generation is filled, or without an embedder. Rows of a model are counted up to `COUNTED`, more than autoscaling and
alerts can use; the oldest one and those that somebody holds are found by an index.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import op
from sqlalchemy import text

revision = "0014"
down_revision = "0013"

COUNTED = 10_000


def upgrade() -> None:
    """Create both indexes, and replace the body of the function that counts."""
    op.execute("""
    CREATE INDEX embedding_jobs_age ON embedding_jobs (model_id, enqueued_at);
    CREATE INDEX embedding_jobs_leased ON embedding_jobs (lease_until) WHERE lease_until IS NOT NULL;
    """)
    with _as_the_sweeper():
        op.execute(f"""
        CREATE OR REPLACE FUNCTION sweep_embedding_backlog()
        RETURNS TABLE (model_id smallint, waiting bigint, oldest_enqueued_at timestamptz)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
            SELECT g.id, counted.waiting, oldest.enqueued_at
            FROM public.embedding_models g
            CROSS JOIN LATERAL (
                SELECT count(*) AS waiting FROM (
                    SELECT FROM public.embedding_jobs j WHERE j.model_id = g.id
                    ORDER BY j.next_attempt_at LIMIT {COUNTED}
                ) head
            ) counted
            CROSS JOIN LATERAL (
                SELECT min(j.enqueued_at) AS enqueued_at FROM public.embedding_jobs j WHERE j.model_id = g.id
            ) oldest
            WHERE counted.waiting > 0
        $$
        """)  # noqa: S608 - a number of this file


@contextmanager
def _as_the_sweeper() -> Iterator[None]:
    """As whoever owns the function: the sweeper, or in a new database still the migrator, until roles are applied."""
    owner, migrator = (
        op.get_bind()
        .execute(
            text(
                "SELECT quote_ident(pg_get_userbyid(proowner)), quote_ident(current_user)"
                " FROM pg_proc WHERE oid = 'sweep_embedding_backlog'::regproc"
            )
        )
        .one()
    )
    if owner == migrator:
        yield
        return
    op.execute(f"GRANT CREATE ON SCHEMA public TO {owner}")
    op.execute(f"SET LOCAL ROLE {owner}")
    yield
    op.execute("RESET ROLE")
    op.execute(f"REVOKE CREATE ON SCHEMA public FROM {owner}")
