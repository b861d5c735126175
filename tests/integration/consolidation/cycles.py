"""Consolidation again and again over one corpus, with a reviewer who decides at random."""

import random
import time
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from tests.integration.consolidation.consolidating import texts
from tests.integration.consolidation.corpus import Planted, corpus
from tests.integration.core.proposing import accept, listed, reject
from tests.integration.core.writing import rows, write
from tests.people import Person
from threengram.core.call import Core
from threengram.core.consolidation.examine import examine
from threengram.core.errors import Conflict
from threengram.schema.enums import CLOSING_EDGES

EVERYTHING_EVERY = 100
"""Cycles between two that look at the whole corpus once more; the others look at a part from anywhere on."""
PART_BATCHES = 1
DECIDED_PER_CYCLE = 3


async def spin(core: Core, person: Person, *, memories: int, cycles: int, seed: int) -> dict[str, float]:
    """Fails when a memory has changed, a pair is proposed twice, or a proposal joins what doesn't belong together.

    What it came to: pairs looked at, pairs per second of examining, proposals, decisions.
    """
    planted = corpus(memories, seed=seed)
    about = {await _written(core, person, one): one for one in planted}
    before = await _unchangeable(core, person)
    source = random.Random(seed)
    pairs: set[frozenset[UUID]] = set()
    counts = {"pairs": 0.0, "proposed": 0.0, "claims": 0.0, "decided": 0.0, "examining_s": 0.0}
    for cycle in range(cycles):
        is_whole = cycle % EVERYTHING_EVERY == 0
        start = 0 if is_whole else source.randrange(memories)
        await rows(core, person, "UPDATE consolidation_progress SET examined_no = %(start)s", start=start)
        since = core.clock()
        await _examined(core, person, counts, batches=memories if is_whole else PART_BATCHES)
        await require_sane(core, person, about, pairs, since=since)
        counts["decided"] += await _decided(core, person, source)
    assert await _unchangeable(core, person) == before
    counts["pairs_per_s"] = counts["pairs"] / max(counts["examining_s"], 1e-9)
    return counts


async def _written(core: Core, person: Person, one: Planted) -> UUID:
    answer = await write(
        core, person, memory_type=one.memory_type, topic=one.topic, content=one.content, scope=one.scope
    )
    return answer.memory.id


async def _examined(core: Core, person: Person, counts: dict[str, float], *, batches: int) -> None:
    began = time.perf_counter()
    for _ in range(batches):
        done = await examine(core.database, person.principal, now=core.clock())
        counts["pairs"] += done.pairs
        counts["proposed"] += done.proposed
        counts["claims"] += done.claims
        if not done.has_more:
            break
    counts["examining_s"] += time.perf_counter() - began


async def _decided(core: Core, person: Person, source: random.Random) -> int:
    """A reviewer says yes or no to a few; what has become pointless meanwhile retires."""
    page = await listed(core, person, limit=DECIDED_PER_CYCLE)
    for proposal in (*page.proposals, *(page.fact_proposals or ())):
        try:
            await (accept if source.random() < 0.4 else reject)(core, person, proposal.id)
        except Conflict:
            continue
    return len(page.proposals)


async def _unchangeable(core: Core, person: Person) -> Sequence[tuple[object, ...]]:
    """All of every memory but its validity, which a reviewer's yes may end."""
    return [row[:-1] for row in await texts(core, person)]


async def require_sane(
    core: Core, person: Person, about: dict[UUID, Planted], pairs: set[frozenset[UUID]], *, since: datetime
) -> None:
    """Fail unless every pair proposed from `since` on is new, in one scope, and takes over only what is about the same.

    Adds them to `pairs`.
    """
    found = await rows(
        core,
        person,
        "SELECT from_id, to_id, edge_type FROM consolidation_proposals WHERE created_at >= %(since)s",
        since=since,
    )
    for row in found:
        pair = frozenset((row["from_id"], row["to_id"]))
        newer, older = about[row["from_id"]], about[row["to_id"]]
        assert pair not in pairs
        assert newer.scope == older.scope
        assert row["edge_type"] not in CLOSING_EDGES or newer.about == older.about, (newer, older)
        pairs.add(pair)
