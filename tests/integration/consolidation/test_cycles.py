"""Many cycles over a corpus of traps; `make chaos` has a thousand over two thousand memories."""

from tests.integration.consolidation.cycles import spin
from tests.people import Person
from threengram.core.call import Core


async def test_cycles_change_no_memory_and_propose_no_pair_twice_and_none_that_only_looks_alike(
    core: Core, alice: Person
) -> None:
    counts = await spin(core, alice, memories=90, cycles=10, seed=11)
    print(counts)
    assert counts["proposed"] > 10
    assert counts["decided"] > 10
