"""Everything that is loaded before a measurement: which tenants, how large, with which texts and vectors."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

import psycopg

from threengram.core.call import Core
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.db.statement import tenant_statement
from threengram.core.embeddings.http import HttpEmbedder
from threengram.core.identity.provision import find_user
from threengram.core.principal import Principal
from threengram.evals.bench.corpus import Corpus, corpus
from threengram.evals.bench.load import Filling, index_rebuilt_afterwards, load, settle, spread
from threengram.evals.bench.stack import Product
from threengram.evals.bench.tenants import IN_FLIGHT, Caller, address, api_key, caller, create_tenants
from threengram.evals.bench.vectors import Vectors, disturbed_vectors, real_vectors

MODEL_NAME = "all-MiniLM-L6-v2-dynamic-int8"
DIMENSIONS = 384
CORPUS_TEXTS = 100_000
BASE_TEXTS = 2_000
TENANTS_AT_ONCE = 500
SOME_IDS = 200
EMBED_TIMEOUT_S = 10.0
_NEWEST_IDS = tenant_statement(
    "newest_ids",
    "SELECT id FROM memories WHERE tenant_id = %(tenant_id)s ORDER BY recorded_at DESC, id DESC LIMIT %(count)s",
)


class Site(StrEnum):
    """A tenant that is measured; the value is how the report calls it."""

    SMALL = "300"
    MEDIUM = "10,000"
    WRITER = "10,000, written to"
    LARGE = "100,000"
    ONE_OF_TEN = "20, one of 10"
    ONE_OF_THOUSANDS = "20, one of 5,000"


WALKED = (Site.MEDIUM, Site.LARGE)
"""Those that are too large for every vector to be compared."""


@dataclass(frozen=True)
class Crowd:
    """`tenants` of `memories` each; the first one is the site. A crowd may be copied from a site loaded before it."""

    site: Site | None
    tenants: int
    memories: int
    source: Site | None = None

    @property
    def names(self) -> list[str]:
        """One name for each tenant."""
        kind = "crowd" if self.site is None else self.site.name.lower().replace("_", "-")
        return [f"{kind}-{index}" for index in range(self.tenants)]


REFERENCE = (
    Crowd(Site.MEDIUM, 1, 10_000),
    Crowd(Site.SMALL, 1, 300),
    Crowd(None, 200, 300),
    Crowd(Site.WRITER, 1, 10_000),
)
FEW = (Crowd(Site.ONE_OF_TEN, 10, 20),)
MANY = (Crowd(Site.LARGE, 1, 100_000), Crowd(Site.ONE_OF_THOUSANDS, 4_990, 20, Site.LARGE))


class World:
    """A running product with what has been loaded into it so far."""

    def __init__(self, product: Product, core: Core, embedder: HttpEmbedder, texts: Corpus, base: Vectors) -> None:
        self.product = product
        self.core = core
        self.embedder = embedder
        self.corpus = texts
        self.callers: dict[Site, Caller] = {}
        self._base = base
        self._keys: dict[Site, str] = {}

    async def add(self, crowds: Sequence[Crowd]) -> None:
        """Create and fill tenants, rebuild the vector index and settle; then make tokens for the sites.

        In a data directory that is used again, crowds found there are taken as they are.
        """
        if await self._find(crowds):
            return
        now = datetime.now(UTC)
        made = {crowd: await create_tenants(self.core.database, crowd.names, now=now) for crowd in crowds}
        # In a thread: a pool that opens a connection meanwhile holds a snapshot, for which the index build waits.
        await asyncio.to_thread(self._fill, made)
        for crowd, principals in made.items():
            self._take(crowd, principals[0])

    async def some_ids(self, site: Site) -> list[str]:
        """Ids of the newest memories of a tenant."""
        async with self.core.database.tenant(self.callers[site].principal) as tx:
            return [str(row["id"]) for row in await tx.fetch_last(_NEWEST_IDS, {"count": SOME_IDS})]

    async def key(self, site: Site) -> str:
        """An API key of the tenant's user."""
        if site not in self._keys:
            principal = self.callers[site].principal
            self._keys[site] = await api_key(self.core.database, principal, now=datetime.now(UTC))
        return self._keys[site]

    async def _find(self, crowds: Sequence[Crowd]) -> bool:
        found = {}
        for crowd in crowds:
            principal = await find_user(self.core.database, address(crowd.names[0]))
            if principal is None:
                return False
            found[crowd] = principal
        for crowd, principal in found.items():
            self._take(crowd, principal)
        return True

    def _take(self, crowd: Crowd, first: Principal) -> None:
        if crowd.site is not None:
            self.callers[crowd.site] = caller(self.product, crowd.names[0], first)

    def _fill(self, made: Mapping[Crowd, Sequence[Principal]]) -> None:
        with psycopg.connect(self.product.owner_url, autocommit=True) as owner:
            model = model_id(owner)
            with index_rebuilt_afterwards(owner, model_id=model, dimensions=DIMENSIONS):
                sources = {crowd.site: principals[0] for crowd, principals in made.items()}
                for crowd, principals in made.items():
                    if crowd.source is not None:
                        spread(owner, sources[crowd.source], principals, count=crowd.memories)
                        continue
                    for start in range(0, crowd.tenants, TENANTS_AT_ONCE):
                        fillings = [
                            self._filling(principal, crowd.memories, start + index)
                            for index, principal in enumerate(principals[start : start + TENANTS_AT_ONCE])
                        ]
                        load(owner, fillings, model_id=model, now=datetime.now(UTC))
            settle(owner)

    def _filling(self, principal: Principal, memories: int, number: int) -> Filling:
        """The next texts of the corpus, from its beginning again where it ends within a tenant's share."""
        start = number * memories % (CORPUS_TEXTS - memories + 1)
        end = start + memories
        texts = self.corpus.texts[start:end]
        if end <= BASE_TEXTS:
            return Filling(principal, texts, self._base[start:end])
        vectors = disturbed_vectors(texts, self.corpus.texts[:BASE_TEXTS], self._base, seed=number)
        return Filling(principal, texts, vectors)


@asynccontextmanager
async def world(product: Product, reference_dir: Path | None) -> AsyncIterator[World]:
    """An empty world on a product: its corpus made, and the base of its vectors embedded."""
    texts = corpus(CORPUS_TEXTS, reference_dir)
    database = Database(product.runtime_url, pool_min=1, pool_max=IN_FLIGHT)
    embedder = HttpEmbedder(
        f"http://127.0.0.1:{product.ports.listener('embedder')}", model_name=MODEL_NAME, dimensions=DIMENSIONS
    )
    core = Core(
        database,
        embedder,
        CursorSealer(secrets.token_bytes(32)),
        lambda: datetime.now(UTC),
        embed_query_timeout_s=EMBED_TIMEOUT_S,
    )
    await database.open()
    try:
        yield World(product, core, embedder, texts, await real_vectors(embedder, texts.texts[:BASE_TEXTS]))
    finally:
        await embedder.close()
        await database.close()


def model_id(owner: psycopg.Connection) -> int:
    """The id of the generation that serves."""
    row = owner.execute("SELECT id FROM embedding_models WHERE state = 'active'").fetchone()
    assert row is not None
    return int(row[0])
