"""How far a tenant has been examined: a watermark that nothing slips past, a queue that doesn't grow, a switch."""

import pytest

from tests.conftest import Clock
from tests.integration.consolidation.consolidating import proposed, run, switched, write_all
from tests.integration.core.proposing import listed, reject
from tests.integration.core.writing import rows
from tests.integration.jobs.working import Workshop
from tests.people import Person
from threengram.core.call import Core
from threengram.core.consolidation.examine import BATCH_MEMORIES
from threengram.core.consolidation.job import consolidate, tenants_to_consolidate
from threengram.core.db.database import Database
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import embed_pending
from threengram.core.jobs.job import JobContext

OLD, NEW = "The checkout timeout is 20 seconds.", "The checkout timeout is 45 seconds."


@pytest.fixture
def silent_core(core: Core) -> Core:
    """Writes memories whose vectors come later."""
    return Core(core.database, None, core.cursors, core.clock)


async def is_listed(database: Database, person: Person, clock: Clock) -> bool:
    after = None
    while page := await tenants_to_consolidate(database, after, clock()):
        if person.principal.tenant_id in page:
            return True
        after = page[-1]
    return False


async def test_a_tenant_is_listed_until_everything_has_been_examined(
    core: Core, database: Database, alice: Person, clock: Clock
) -> None:
    assert not await is_listed(database, alice, clock)
    await write_all(core, alice, OLD)
    assert await is_listed(database, alice, clock)
    await run(core, alice)
    assert not await is_listed(database, alice, clock)
    await write_all(core, alice, NEW)
    assert await is_listed(database, alice, clock)
    await run(core, alice)
    assert len(await proposed(core, alice)) == 1


async def test_nothing_is_examined_twice(core: Core, alice: Person) -> None:
    await write_all(core, alice, OLD, NEW)
    assert (await run(core, alice)).scanned == 2
    assert (await run(core, alice)).scanned == 0


async def test_more_than_a_batch_is_examined_batch_by_batch(core: Core, alice: Person) -> None:
    count = BATCH_MEMORIES + 3
    await write_all(core, alice, *(f"Shelf {number} is empty." for number in range(count)))
    assert (await run(core, alice)).scanned == count


async def test_a_memory_without_vectors_waits_for_them(
    core: Core, silent_core: Core, embedder: HttpEmbedder, alice: Person, clock: Clock
) -> None:
    await write_all(core, alice, OLD)
    await write_all(silent_core, alice, NEW)
    await run(core, alice)
    assert await proposed(core, alice) == []
    assert not await is_listed(core.database, alice, clock)
    while (await embed_pending(core.database, embedder, now=clock(), lease_s=60)).claimed:
        pass
    assert await is_listed(core.database, alice, clock)
    await run(core, alice)
    assert await proposed(core, alice) == [(NEW, OLD, "supersedes")]
    assert await rows(core, alice, "SELECT FROM consolidation_waiting") == []
    assert not await is_listed(core.database, alice, clock)


async def test_a_full_queue_waits_for_decisions_and_loses_nothing(core: Core, alice: Person) -> None:
    for number in range(3):
        name = f"Box{number}"
        await write_all(core, alice, f"{name} holds 20 l.", f"{name} holds 30 l.", topic=name)
    seen = set()
    for _ in range(10):  # three edges and the fact of each box before and after, one at a time
        await run(core, alice, max_open=1)
        for proposal in (await listed(core, alice)).proposals:
            seen.add(proposal.from_id)
            await reject(core, alice, proposal.id)
        for fact in (await listed(core, alice)).fact_proposals or []:
            await reject(core, alice, fact.id)
    assert len(seen) == 3


async def test_whoever_switches_it_off_gets_nothing_proposed(
    core: Core, database: Database, alice: Person, clock: Clock
) -> None:
    assert (await switched(core, alice, enabled=False)).enabled is False
    await write_all(core, alice, OLD, NEW)
    assert not await is_listed(database, alice, clock)
    assert (await run(core, alice)).scanned == 0
    assert (await switched(core, alice, enabled=True)).remaining == 2
    assert await is_listed(database, alice, clock)
    assert (await run(core, alice)).proposed == 1


async def test_the_job_counts_what_it_did(core: Core, database: Database, alice: Person, clock: Clock) -> None:
    async def work(context: JobContext) -> bool:
        return await consolidate(context)

    await write_all(core, alice, OLD, NEW)
    shop = Workshop(database, clock, work)
    await shop.enqueue(alice.principal.tenant_id)
    (ended,) = await shop.drain()
    assert ended.counts == {"scanned": 2, "pairs": 1, "proposed": 1, "claims": 2, "calls": 0, "dropped": 0}
