"""Sweeps and writes on the same memories for a long time: no deadlock, no pass dropped."""

import pytest

from tests.conftest import Clock
from tests.integration.jobs.sweeping import ENDED_WELL, sweep_and_write
from tests.people import Person
from threengram.core.call import Core


@pytest.mark.parametrize("seed", range(10))
async def test_nothing_stops_anything(core: Core, clock: Clock, alice: Person, seed: int) -> None:
    lexical = Core(core.database, None, core.cursors, clock)
    seen = await sweep_and_write(lexical, clock, alice, promises=150, rounds=400, seed=100 * seed)
    print(dict(seen))
    assert seen.keys() <= ENDED_WELL
