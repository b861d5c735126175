"""The surfacing job and people's writes on the same memories, all at full speed."""

import asyncio
import random
from collections import Counter
from datetime import timedelta
from uuid import UUID

from tests.conftest import Clock
from tests.integration.core.writing import bring_back, correct, put_away, rows, settle, write
from tests.integration.jobs.working import Workshop
from tests.people import Person
from threengram.core.call import Core
from threengram.core.commitments.job import surface
from threengram.core.commitments.sweep import DEFAULT_GRACE
from threengram.core.errors import Conflict, InvalidRequest, NotFound
from threengram.core.jobs.job import JobContext
from threengram.schema.enums import JobOutcome

SWEEPERS = 2
REFUSALS = (Conflict, InvalidRequest, NotFound)
"""What a write may answer when another one was faster."""


async def sweep_and_write(
    core: Core, clock: Clock, person: Person, *, promises: int, rounds: int, seed: int
) -> Counter[str]:
    """How the runs of the job ended, and what the writes came to; the job goes on until the last write is done."""
    due_at = clock().replace(microsecond=0) + timedelta(hours=1)
    written = [
        await write(core, person, memory_type="commitment", content=f"promise {number}", due_at=due_at)
        for number in range(promises)
    ]
    clock.advance(days=1)
    seen: Counter[str] = Counter()
    writing = asyncio.gather(
        *(_written(core, person, [one.memory.id for one in written], rounds, seen, seed + n) for n in range(4))
    )

    async def work(context: JobContext) -> bool:
        return await surface(context, grace=DEFAULT_GRACE)

    async def sweep() -> None:
        shop = Workshop(core.database, clock, work)
        while not writing.done():
            clock.advance(hours=7)
            await shop.enqueue(person.principal.tenant_id)
            seen.update(str(ended.outcome) for ended in await shop.drain())

    await asyncio.gather(writing, *(sweep() for _ in range(SWEEPERS)))
    return seen


async def _written(
    core: Core, person: Person, memory_ids: list[UUID], rounds: int, seen: Counter[str], seed: int
) -> None:
    choice = random.Random(seed)
    for number in range(rounds):
        memory_id = choice.choice(memory_ids)
        try:
            match choice.choice(("settle", "reopen", "put_away", "bring_back", "correct")):
                case "settle":
                    await settle(core, person, memory_id)
                case "reopen":
                    await settle(core, person, memory_id, "open")
                case "put_away":
                    await put_away(core, person, memory_id)
                case "bring_back":
                    await bring_back(core, person, memory_id)
                case _:
                    content = f"correction {seed} {number}"
                    changed = await correct(core, person, memory_id, memory_type="commitment", content=content)
                    memory_ids.append(changed.memory.id)
            seen["written"] += 1
        except REFUSALS:
            seen["refused"] += 1


async def left_behind(core: Core, person: Person, clock: Clock) -> int:
    """Live promises that are due and that the job has never shown or ended."""
    (row,) = await rows(
        core,
        person,
        "SELECT count(*) FROM commitments c JOIN memories m ON m.tenant_id = c.tenant_id AND m.id = c.memory_id"
        " WHERE c.status IN ('open', 'waiting') AND c.due_at <= %(now)s AND m.status = 'active' AND m.valid_to IS NULL"
        " AND (c.surfaced_at IS NULL OR c.next_surfacing_at <= %(now)s OR c.due_at < %(grace)s)",
        now=clock.now,
        grace=clock.now - DEFAULT_GRACE,
    )
    return int(row["count"])


ENDED_WELL = {str(JobOutcome.OK), str(JobOutcome.AGAIN), "written", "refused"}
