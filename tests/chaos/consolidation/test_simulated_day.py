"""A whole day of traffic of twelve tenants in eight languages, once with each kind of vectors."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from tests.embedder import DIMENSIONS, MODELS, embedder_service
from tests.integration.consolidation.day.living import report
from tests.integration.consolidation.day.town import a_day
from tests.integration.worker.conftest import own_database_url, own_owner_url, template
from threengram.migrations.generations import activate, add, build, retire
from threengram.migrations.status import generations
from threengram.schema.enums import ModelState

__all__ = ["own_database_url", "own_owner_url", "template"]

REPORTS = Path("build/simulated-day")
QUARTERS = 96
TENANTS = {"hash": 12, "onnx": 4}


@pytest.fixture(scope="session", params=["hash", "onnx"])
def vectors(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """The kind of model, and the URL of an embedder that serves it."""
    kind = str(request.param)
    with embedder_service(kind) as url:
        yield kind, url


async def test_a_day_of_traffic_leaves_no_proposal_that_a_careful_person_would_call_harmful(
    own_database_url: str, own_owner_url: str, redis_url: str, vectors: tuple[str, str]
) -> None:
    kind, embedder_url = vectors
    serve(own_owner_url, MODELS[kind])
    async with a_day(
        own_database_url,
        redis_url,
        embedder_url,
        tenants=TENANTS[kind],
        writes=(100, 300),
        quarters=QUARTERS,
        seed=2026,
    ) as day:
        print(report(day, REPORTS / f"day-{kind}.txt"))
        assert [one.text for one in day.verdicts if one.is_harmful] == []
        assert len(day.verdicts) > 40 * TENANTS[kind]


def serve(owner_url: str, name: str) -> None:
    """Make this the only model of a database that has no memories yet."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        former = next(one.name for one in generations(owner) if one.state is ModelState.ACTIVE)
        if former != name:
            add(owner, name=name, dimensions=DIMENSIONS, is_metered=False, now=datetime.now(UTC))
            build(owner, name)
            activate(owner, name, now=datetime.now(UTC))
            retire(owner, former)
