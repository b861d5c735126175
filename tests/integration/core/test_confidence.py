"""Whether the best hit is an answer at all: said where the model's generation has been calibrated, never enforced."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.integration.core.writing import find, write
from tests.people import Person
from threengram.core.call import Core

CALIBRATION = {"bias": -4.0, "similarity": 4.0, "share": 4.0, "lift": 0.0, "words": 0.0, "threshold": 0.5}


@pytest.fixture
def calibrated(owner_url: str) -> Iterator[None]:
    """The active generation with a calibration of the test's own."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        before = owner.execute("SELECT id, calibration FROM embedding_models WHERE state = 'active'").fetchall()
        owner.execute("UPDATE embedding_models SET calibration = %s WHERE state = 'active'", (Jsonb(CALIBRATION),))
        yield
        for model_id, calibration in before:
            kept = None if calibration is None else Jsonb(calibration)
            owner.execute("UPDATE embedding_models SET calibration = %s WHERE id = %s", (kept, model_id))


@pytest.mark.usefixtures("calibrated")
async def test_a_doubtful_hit_is_called_doubtful_and_still_shown(core: Core, alice: Person) -> None:
    await write(core, alice, content="The lighthouse keeper breeds alpacas.")
    stored = await find(core, alice, "The lighthouse keeper breeds alpacas.")
    missing = await find(core, alice, "quarterly budget of the tram company")
    assert (stored.coverage.confident, stored.count) == (True, 1)
    assert (missing.coverage.confident, missing.count) == (False, 1)


async def test_without_a_calibration_nothing_is_said(core: Core, alice: Person) -> None:
    await write(core, alice, content="The lighthouse keeper breeds alpacas.")
    assert "confident" not in (await find(core, alice, "alpacas")).wire()["coverage"]
