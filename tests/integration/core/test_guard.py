"""The guard: a database whose isolation is not in force is refused, whatever was changed."""

from collections.abc import Iterator

import psycopg
import pytest

from threengram.core.db import guard
from threengram.core.db.database import Database


@pytest.fixture
def altered(owner_url: str, request: pytest.FixtureRequest) -> Iterator[None]:
    """The database with the first statement of the parameter applied, and the second afterwards."""
    change, undo = request.param
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute(change)
        yield
        owner.execute(undo)


async def test_a_database_in_order_passes(database: Database) -> None:
    await guard.check(database)


async def test_the_owner_is_refused(owner_url: str) -> None:
    async with Database(owner_url) as pool:
        with pytest.raises(guard.GuardViolation) as refused:
            await guard.check(pool)
    assert "role owns memories" in refused.value.violations


RULE = "tenant_id = (SELECT NULLIF(current_setting('app.tenant_id', true), '')::uuid)"


@pytest.mark.parametrize(
    ("altered", "violation"),
    [
        (
            (
                "ALTER TABLE facts DISABLE ROW LEVEL SECURITY",
                "ALTER TABLE facts ENABLE ROW LEVEL SECURITY",
            ),
            "row security is off on facts",
        ),
        (
            (
                "ALTER TABLE memories NO FORCE ROW LEVEL SECURITY",
                "ALTER TABLE memories FORCE ROW LEVEL SECURITY",
            ),
            "row security is not forced on memories",
        ),
        (
            (
                "ALTER POLICY tenant_isolation ON memories USING (true)",
                f"ALTER POLICY tenant_isolation ON memories USING ({RULE})",
            ),
            "policy tenant_isolation on memories is missing or altered",
        ),
        (
            (
                "ALTER POLICY tenant_isolation ON scopes WITH CHECK (true)",
                f"ALTER POLICY tenant_isolation ON scopes WITH CHECK ({RULE})",
            ),
            "policy tenant_isolation on scopes is missing or altered",
        ),
        (
            (
                "CREATE POLICY everybody ON facts FOR SELECT TO PUBLIC USING (true)",
                "DROP POLICY everybody ON facts",
            ),
            "policy everybody on facts is not expected",
        ),
        (
            (
                "GRANT SELECT ON memory_embeddings_03 TO threengram_runtime",
                "REVOKE SELECT ON memory_embeddings_03 FROM threengram_runtime",
            ),
            "partition memory_embeddings_03 is granted",
        ),
        (
            (
                "GRANT SELECT (embedding) ON memory_embeddings_07 TO PUBLIC",
                "REVOKE SELECT (embedding) ON memory_embeddings_07 FROM PUBLIC",
            ),
            "partition memory_embeddings_07 is granted",
        ),
        (
            ("GRANT tg_sweeper TO threengram_runtime", "REVOKE tg_sweeper FROM threengram_runtime"),
            "role is a member of tg_sweeper",
        ),
        (
            ("CREATE TABLE loose (id int)", "DROP TABLE loose"),
            "row security is off on loose",
        ),
    ],
    indirect=["altered"],
)
@pytest.mark.usefixtures("altered")
async def test_an_altered_database_is_refused(database: Database, violation: str) -> None:
    with pytest.raises(guard.GuardViolation) as refused:
        await guard.check(database)
    assert violation in refused.value.violations


@pytest.mark.parametrize(
    ("privilege", "violation"),
    [("rolsuper", "role is a superuser"), ("rolbypassrls", "role bypasses row security")],
)
def test_a_role_above_row_security_is_refused(privilege: str, violation: str) -> None:
    role = {"rolsuper": False, "rolbypassrls": False, "owned": [], "memberships": [], privilege: True}
    assert guard.role_violations(role) == [violation]
