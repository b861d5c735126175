"""How much of what comparing every vector finds is found by a walk along the index."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from threengram.core.call import Core
from threengram.core.db.database import Database
from threengram.core.principal import Principal
from threengram.core.search import queries
from threengram.evals.bench.floors import kept_steps, searching

NEAREST = 25


async def overlap(core: Core, runtime_url: str, principal: Principal, questions: Sequence[str]) -> float:
    """The share of the `NEAREST` memories, by their best window, that both ways have; the mean of the questions."""
    walked = await _nearest(core, runtime_url, principal, questions)
    with _everything_compared():
        compared = await _nearest(core, runtime_url, principal, questions)
    shares = [len(near & nearest) / len(nearest) for near, nearest in zip(walked, compared, strict=True)]
    return sum(shares) / len(shares)


async def _nearest(core: Core, runtime_url: str, principal: Principal, questions: Sequence[str]) -> list[set[UUID]]:
    verbs = [searching(question) for question in questions]
    found = []
    async with Database(runtime_url, pool_min=1, pool_max=1) as database:
        for unit in await kept_steps(core, runtime_url, principal, verbs, commits=False):
            async with database.tenant(principal) as tx:
                rows = (await tx.run(unit))[-1]
            near = sorted((row for row in rows if row["cosine"] is not None), key=lambda row: -float(row["cosine"]))
            found.append({row["id"] for row in near[:NEAREST]})
    return found


@contextmanager
def _everything_compared() -> Iterator[None]:
    bound = queries.EXACT_MEMORIES
    queries.EXACT_MEMORIES = sys.maxsize
    try:
        yield
    finally:
        queries.EXACT_MEMORIES = bound
