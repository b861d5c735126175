"""Isolation that somebody took away is put back by the next run of the migrations."""

import secrets

import psycopg
import pytest

from tests.integration.migrations.conftest import ROLE
from tests.servers import as_role
from threengram.core.db import guard
from threengram.core.db.database import Database
from threengram.migrations.phases import Phase
from threengram.migrations.run import upgrade

TAKEN_AWAY = (
    "ALTER TABLE facts DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE memories NO FORCE ROW LEVEL SECURITY",
    "ALTER POLICY tenant_isolation ON memories USING (true)",
    "ALTER POLICY tenant_isolation ON scopes WITH CHECK (true)",
    "DROP POLICY tenant_isolation ON tenants",
    "DROP POLICY sweeper_reads ON memories",
    "GRANT SELECT (embedding) ON memory_embeddings_07 TO PUBLIC",
)


async def test_what_was_taken_from_isolation_is_put_back_at_the_revision_that_is_there(empty_database: str) -> None:
    password = secrets.token_urlsafe()
    revision = upgrade(empty_database, runtime_password=password)
    with psycopg.connect(empty_database) as owner:
        for statement in TAKEN_AWAY:
            owner.execute(statement.encode())
    async with Database(as_role(empty_database, ROLE, password)) as database:
        with pytest.raises(guard.GuardViolation) as refused:
            await guard.check(database)
        assert len(refused.value.violations) >= len(TAKEN_AWAY)
        assert upgrade(empty_database, runtime_password="", phase=Phase.PRE) == revision
        await guard.check(database)
