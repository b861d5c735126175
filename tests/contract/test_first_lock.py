"""The first of the two locks by itself: where no row security helps, the tenant that each statement names suffices.

The whole matrix of foreign names once more, in a database whose tables have their policies switched off. Elsewhere a
statement that forgot its tenant would go unnoticed, since the second lock holds.
"""

import psycopg
import pytest
from psycopg import sql

from tests.conftest import RUNTIME_PASSWORD, prepare
from tests.contract import test_foreign_matrix as matrix
from tests.contract.test_foreign_matrix import Tenant, hashes, tenants
from tests.servers import as_role, empty_database
from threengram.core.db.database import Database
from threengram.core.db.statement import Statement
from threengram.migrations.run import RUNTIME_ROLE

__all__ = ["hashes", "tenants"]

_TABLES = """
SELECT relname FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relrowsecurity
"""


@pytest.fixture(scope="module")
def database_url(owner_url: str) -> str:
    """A database of its own without row security, as the runtime role."""
    url = empty_database(owner_url)
    prepare(url)
    with psycopg.connect(url) as owner:
        for (table,) in owner.execute(_TABLES).fetchall():
            owner.execute(sql.SQL("ALTER TABLE {} DISABLE ROW LEVEL SECURITY").format(sql.Identifier(table)))
    return as_role(url, RUNTIME_ROLE, RUNTIME_PASSWORD)


async def test_here_nothing_but_the_statement_keeps_tenants_apart(database: Database, tenants: object) -> None:
    async with database.system() as tx:
        (row,) = await tx.fetch(Statement("tenants", "SELECT count(DISTINCT tenant_id) AS count FROM users"))
    assert row["count"] > 1


async def test_what_is_anothers_is_still_answered_like_what_is_nobodys(tenants: tuple[Tenant, Tenant]) -> None:
    await matrix.test_what_is_anothers_is_answered_like_what_is_nobodys(tenants, "operation")


async def test_resources_prompts_and_completions_still_tell_nothing(tenants: tuple[Tenant, Tenant]) -> None:
    await matrix.test_resources_prompts_and_completions_tell_nothing_either(tenants)
