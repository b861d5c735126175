"""A thousand cycles of consolidation over two thousand memories."""

from tests.integration.consolidation.cycles import spin
from tests.people import Person
from threengram.core.call import Core

MEMORIES = 2_000
CYCLES = 1_000


async def test_a_thousand_cycles_change_no_memory_and_propose_no_pair_twice(core: Core, alice: Person) -> None:
    counts = await spin(core, alice, memories=MEMORIES, cycles=CYCLES, seed=2026)
    print({name: round(count, 1) for name, count in counts.items()})
    assert counts["proposed"] > MEMORIES / 10
