"""A switch of the active model is followed without a restart, and no vector is filed under another model's name."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from tests.integration.core.test_search import find, keep
from tests.integration.core.writing import rows
from tests.people import Person
from threengram.core.call import Core
from threengram.core.db.database import Database
from threengram.core.embeddings.following import FollowingEmbedder
from threengram.schema.enums import VectorCoverage


@pytest.fixture
async def following(database: Database, core: Core, hash_embedder_url: str) -> AsyncIterator[Core]:
    embedder = FollowingEmbedder(database, hash_embedder_url, headers=dict, min_interval_s=0)
    yield Core(database, embedder, core.cursors, core.clock, 5.0, 5.0)
    await embedder.close()


async def test_the_active_model_is_read_from_the_database(following: Core, alice: Person) -> None:
    await keep(following, alice, "apples and pears")
    assert (await find(following, alice, "apples")).coverage.vector is VectorCoverage.USED


async def test_a_model_that_is_no_longer_active_is_left_at_the_next_call(
    following: Core, alice: Person, owner_url: str
) -> None:
    await keep(following, alice, "apples and pears")
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("UPDATE embedding_models SET name = 'another' WHERE name = 'hash-384'")
        try:
            found = await find(following, alice, "apples")
            assert found.coverage.vector is VectorCoverage.UNAVAILABLE
            assert len(found.hits) == 1
            await keep(following, alice, "more apples")
            assert (await find(following, alice, "apples")).coverage.pending_embeddings == 1
        finally:
            owner.execute("UPDATE embedding_models SET name = 'hash-384' WHERE name = 'another'")
    await find(following, alice, "apples")
    assert (await find(following, alice, "apples")).coverage.vector is VectorCoverage.USED


async def test_a_write_at_the_moment_of_a_switch_files_no_vector_of_the_former_model(
    following: Core, alice: Person, owner_url: str
) -> None:
    await keep(following, alice, "apples and pears")
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("UPDATE embedding_models SET name = 'another' WHERE name = 'hash-384'")
        try:
            await keep(following, alice, "more apples")
        finally:
            owner.execute("UPDATE embedding_models SET name = 'hash-384' WHERE name = 'another'")
    (filed,) = await rows(following, alice, "SELECT count(DISTINCT memory_id) AS memories FROM memory_embeddings")
    (left,) = await rows(following, alice, "SELECT count(*) AS memories FROM embedding_jobs")
    assert (filed["memories"], left["memories"]) == (1, 1)
