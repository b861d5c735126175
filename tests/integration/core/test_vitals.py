"""What an ordinary role sees of its database."""

import psycopg

from threengram.core.db.database import Database
from threengram.core.db.vitals import MIGRATION_LOCK, vitals
from threengram.migrations import locks


async def test_the_runtime_role_reads_sizes_keys_and_counts(database: Database) -> None:
    found = await vitals(database)
    assert found.sessions >= 1
    assert found.max_sessions > found.sessions
    assert found.commits > 0
    assert found.keys["active"] >= 1
    assert found.tables["memories"].bytes > 0
    assert not [name for name in found.tables if name.startswith("memory_embeddings_")]
    assert found.archive_age_s is None


async def test_a_running_migration_is_seen_by_its_lock(database: Database, owner_url: str) -> None:
    assert MIGRATION_LOCK == locks.MIGRATION_LOCK
    assert (await vitals(database)).migrations == 0
    with psycopg.connect(owner_url) as owner:
        owner.execute("SELECT pg_advisory_xact_lock(%s)", (locks.MIGRATION_LOCK,))
        assert (await vitals(database)).migrations == 1
