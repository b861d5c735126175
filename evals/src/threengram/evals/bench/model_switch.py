"""`python -m threengram.evals.bench.model_switch`: how long a change of model takes, step by step.

Starts PostgreSQL and an embedder that serves both models, fills one tenant with generated memories, and does what
`threengram models switch` and a worker do. The former model is hashed, so that its vectors cost nothing.
"""

import argparse
import asyncio
import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import psycopg

from threengram.cli import throwaway
from threengram.cli.served import DEFAULT_MODEL, hashing, known
from threengram.core.db.database import Database
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.embeddings.pending import embed_pending
from threengram.core.identity.provision import create_tenant
from threengram.evals.bench.corpus import generated
from threengram.evals.bench.load import Filling, load, settle
from threengram.migrations import generations
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import RUNTIME_ROLE, upgrade
from threengram.migrations.status import Obstacle

FORMER = hashing(64)
LEASE_S = 60.0


def main() -> None:
    """Measure once, and print one line a step."""
    parser = argparse.ArgumentParser(prog="python -m threengram.evals.bench.model_switch", description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--to", default=DEFAULT_MODEL, help="a bundled model, or hash-N")
    options = parser.parse_args()
    target = known(options.to)
    if target is None:
        parser.error(f"{options.to} is neither a bundled model nor hash-N")
    declared = json.dumps([FORMER.declaration, target.declaration])
    with (
        throwaway.postgres() as owner_url,
        throwaway.embedder("hash", settings={"MODELS": declared}) as embedder_url,
        psycopg.connect(owner_url, autocommit=True) as owner,
    ):
        runtime_url = _prepared(owner_url)
        asyncio.run(_filled(owner, runtime_url, options.memories))
        with _timed("rows for every memory", options.memories):
            generations.add(
                owner, name=target.name, dimensions=target.dimensions, is_metered=False, now=datetime.now(UTC)
            )
        with _timed(f"vectors by {target.name}", options.memories):
            asyncio.run(_embedded(runtime_url, embedder_url, target.name, target.dimensions))
        with _timed("index on all partitions"):
            generations.build(owner, target.name)
        with _timed("the switch itself"):
            generations.activate(owner, target.name, now=datetime.now(UTC), despite=list(Obstacle))
        with _timed("retiring the former model", options.memories):
            generations.retire(owner, FORMER.name)


def _prepared(owner_url: str) -> str:
    """The runtime role's URL of the migrated database, the former model active."""
    password = secrets.token_urlsafe()
    upgrade(owner_url, runtime_password=password)
    ensure_model(owner_url, name=FORMER.name, dimensions=FORMER.dimensions)
    parts = urlsplit(owner_url)
    return urlunsplit(parts._replace(netloc=f"{RUNTIME_ROLE}:{password}@{parts.hostname}:{parts.port}"))


async def _filled(owner: psycopg.Connection, runtime_url: str, count: int) -> None:
    async with Database(runtime_url) as database:
        now = datetime.now(UTC)
        principal = await create_tenant(database, email="switch@example.test", name="switch", now=now)
    vectors = np.full((count, FORMER.dimensions), FORMER.dimensions**-0.5, dtype=np.float32)
    load(owner, [Filling(principal, generated(count), vectors)], model_id=1, now=now)
    settle(owner)


async def _embedded(runtime_url: str, embedder_url: str, name: str, dimensions: int) -> None:
    """What a worker does, batch by batch."""
    embedder = HttpEmbedder(embedder_url, model_name=name, dimensions=dimensions)
    try:
        async with Database(runtime_url) as database:
            claimed = 1
            while claimed:
                due = datetime.now(UTC) + timedelta(seconds=1)
                claimed = (await embed_pending(database, embedder, now=due, lease_s=LEASE_S)).claimed
    finally:
        await embedder.close()


@contextmanager
def _timed(step: str, count: int | None = None, clock: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    began = clock()
    yield
    took_s = clock() - began
    pace = "" if count is None else f"  {count / took_s:9.1f}/s"
    print(f"{step:50} {took_s:9.3f} s{pace}", flush=True)


if __name__ == "__main__":
    main()
