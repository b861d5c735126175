"""A worker takes no work before isolation is known to be in force."""

from datetime import UTC, datetime

import psycopg
import pytest
from pydantic import SecretStr

from threengram.core.db.guard import GuardViolation
from threengram.worker.connections import Connections
from threengram.worker.settings import Settings

pytestmark = pytest.mark.anyio


async def test_a_worker_asks_the_guard_before_its_first_task(
    owner_url: str, database_url: str, redis_url: str, hash_embedder_url: str
) -> None:
    settings = Settings(
        database_url=SecretStr(database_url),
        redis_url=SecretStr(redis_url),
        embedder_url=hash_embedder_url,
        admin_port=0,
    )
    connections = Connections(settings, lambda: datetime.now(UTC))
    async with connections.opened():
        with psycopg.connect(owner_url, autocommit=True) as owner:
            owner.execute("ALTER TABLE embedding_jobs NO FORCE ROW LEVEL SECURITY")
            try:
                with pytest.raises(GuardViolation):
                    await connections.embedders()
                with pytest.raises(GuardViolation):
                    await connections.require_isolation()
            finally:
                owner.execute("ALTER TABLE embedding_jobs FORCE ROW LEVEL SECURITY")
        assert [embedder.model_name for embedder in await connections.embedders()] == ["hash-384"]
