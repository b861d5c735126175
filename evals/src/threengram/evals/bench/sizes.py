"""`python -m threengram.evals.bench.sizes`: what a memory costs on disk, table by table, with its indexes."""

import asyncio
import sys
from datetime import UTC, datetime

import numpy as np
import psycopg

from threengram.cli import throwaway
from threengram.cli.backends import runtime_url
from threengram.core.db.database import Database
from threengram.core.db.vitals import vitals
from threengram.core.principal import Principal
from threengram.evals.bench.corpus import generated
from threengram.evals.bench.load import Filling, index_rebuilt_afterwards, load, settle
from threengram.evals.bench.tenants import create_tenants
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import upgrade

MEMORIES = 10_000
DIMENSIONS = 384
PASSWORD = "sizes"  # noqa: S105 (of a server that ends with this program)
SEED = 7


def main() -> None:
    """Load one tenant of random unit vectors and print bytes a memory."""
    with throwaway.postgres() as owner_url:
        upgrade(owner_url, runtime_password=PASSWORD)
        ensure_model(owner_url, name="sizes", dimensions=DIMENSIONS)
        url = runtime_url(owner_url, PASSWORD)
        texts = generated(MEMORIES)
        vectors = np.random.default_rng(SEED).standard_normal((MEMORIES, DIMENSIONS), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        (principal,) = asyncio.run(_tenant(url))
        with psycopg.connect(owner_url, autocommit=True) as owner:
            (model_id,) = owner.execute("SELECT id FROM embedding_models WHERE name = 'sizes'").fetchone() or (0,)
            with index_rebuilt_afterwards(owner, model_id=model_id, dimensions=DIMENSIONS):
                load(owner, [Filling(principal, texts, vectors)], model_id=model_id, now=datetime.now(UTC))
            settle(owner)
        chars = sum(len(text.content) for text in texts) / MEMORIES
        sizes = asyncio.run(_sizes(url))
    sys.stdout.write(f"{MEMORIES} memories of {chars:.0f} characters, one window each; bytes a memory:\n")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size / MEMORIES >= 1:
            sys.stdout.write(f"{name:<24} {size / MEMORIES:8.0f}\n")
    sys.stdout.write(f"{'all':<24} {sum(sizes.values()) / MEMORIES:8.0f}\n")


async def _tenant(url: str) -> list[Principal]:
    async with Database(url) as database:
        return await create_tenants(database, ["sizes"], now=datetime.now(UTC))


async def _sizes(url: str) -> dict[str, int]:
    async with Database(url) as database:
        return {name: table.bytes for name, table in (await vitals(database)).tables.items()}


if __name__ == "__main__":
    main()
