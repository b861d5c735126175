"""Searches that use an index against the truth: every vector compared, in NumPy."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import psycopg
import pytest
import uvloop
from numpy.typing import NDArray

from tests.conftest import CURSOR_KEY, RUNTIME_PASSWORD
from tests.embedder import MODELS
from tests.people import a_person
from tests.servers import postgres_server
from threengram.core.call import Core, open_call
from threengram.core.cursor import CursorSealer
from threengram.core.db.database import Database
from threengram.core.embeddings.embedder import DocumentVectors, EmbedderUnavailable, QueryVector
from threengram.core.principal import Principal
from threengram.core.search import search
from threengram.evals.bench.corpus import Text
from threengram.evals.bench.load import Filling, index_rebuilt_afterwards, load, settle, spread
from threengram.evals.bench.tenants import create_tenants
from threengram.evals.bench.vectors import Vectors, clustered_vectors
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import RUNTIME_ROLE, upgrade
from threengram.schema.enums import MemoryType, VectorCoverage
from threengram.schema.search import SearchInput

DIMENSIONS = 64
"""Fewer than any model has: two hundred thousand vectors are indexed here."""

LARGE = 100_000
TENANTS = 5_000
SMALL = 20
CLUSTERS = 1_000
QUERIES = 40
HITS = 10
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CLOSE_TOGETHER = timedelta(milliseconds=1)
"""So close that age does not count: hits are in the order of their cosines."""

PROJECTS = {"tenth": 10, "thousandth": 1_000}


class NumberedQueries:
    """An embedder whose queries are numbers of vectors."""

    is_metered = False
    model_name = MODELS["hash"]
    dimensions = DIMENSIONS

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def look_again(self) -> None:
        """There is one model only."""

    def speaking_for(self, model_name: str, dimensions: int) -> "NumberedQueries":
        return self

    async def embed_query(self, query: str, *, timeout_s: float) -> QueryVector:
        return QueryVector(self.model_name, [float(number) for number in self._vectors[int(query)]])

    async def embed_document(
        self, topic: str, content: str, *, timeout_s: float, first_window_only: bool, priority: str
    ) -> DocumentVectors:
        raise EmbedderUnavailable


@dataclass(frozen=True)
class Loaded:
    """Two tenants of which everything is known, among thousands, and queries."""

    runtime_url: str
    large: Filling
    small: Filling
    queries: Vectors


def texts(count: int) -> list[Text]:
    """Texts with no word of any query; the first of every ten and thousand are in projects of their own."""
    return [
        Text(MemoryType.NOTE, "entry", f"entry {_letters(number)}", "work", _project(number)) for number in range(count)
    ]


def _letters(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


def _project(number: int) -> str | None:
    if number % PROJECTS["thousandth"] == 1:
        return "thousandth"
    return "tenth" if number % PROJECTS["tenth"] == 0 else None


async def _loaded(owner_url: str, runtime_url: str) -> Loaded:
    model_id = ensure_model(owner_url, name=MODELS["hash"], dimensions=DIMENSIONS)
    vectors = clustered_vectors(LARGE + QUERIES, clusters=CLUSTERS, dimensions=DIMENSIONS, seed=7)
    async with Database(runtime_url, pool_min=1, pool_max=8) as database:
        measured = [(await a_person(database, now=NOW)).principal for _ in range(2)]
        others = await create_tenants(database, [f"tenant-{number}" for number in range(TENANTS - 1)], now=NOW)
    large = Filling(measured[0], texts(LARGE), vectors[:LARGE])
    small = Filling(measured[1], large.texts[:SMALL], vectors[:SMALL])
    with (
        psycopg.connect(owner_url, autocommit=True) as owner,
        index_rebuilt_afterwards(owner, model_id=model_id, dimensions=DIMENSIONS),
    ):
        load(owner, [large], model_id=model_id, now=NOW, spacing=CLOSE_TOGETHER)
        spread(owner, large.principal, [small.principal, *others], count=SMALL)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        settle(owner)
    return Loaded(runtime_url, large, small, vectors[LARGE:])


@pytest.fixture(scope="module")
def loaded() -> Iterator[Loaded]:
    """A database of its own, since it is large."""
    with postgres_server() as owner_url:
        upgrade(owner_url, runtime_password=RUNTIME_PASSWORD)
        host = owner_url.rpartition("@")[2]
        runtime_url = f"postgresql://{RUNTIME_ROLE}:{RUNTIME_PASSWORD}@{host}"
        yield uvloop.run(_loaded(owner_url, runtime_url))


async def found(core: Core, principal: Principal, query: int, project: str | None) -> list[str]:
    """Contents of the hits, best first."""
    async with open_call(core, principal) as call:
        answer = await search(call, SearchInput(query=str(query), limit=HITS, project=project))
    assert answer.coverage.vector is VectorCoverage.USED
    return [hit.content or "" for hit in answer.hits]


def true_hits(filling: Filling, query: NDArray[np.float32], project: str | None) -> list[str]:
    """Contents of the eligible memories with the highest cosines, of vectors as they are stored.

    Negative cosines count as none, and among equals the newer memory comes first.
    """
    eligible = [place for place, text in enumerate(filling.texts) if project in {None, text.project}]
    stored = filling.vectors[eligible].astype(np.float16).astype(np.float32)
    cosines = stored @ query.astype(np.float16).astype(np.float32) / np.linalg.norm(stored, axis=1)
    best_first = np.lexsort((-np.array(eligible), -np.maximum(cosines, 0)))
    return [filling.texts[eligible[place]].content for place in best_first[:HITS]]


@pytest.mark.parametrize(
    ("tenant", "project"),
    [("large", None), ("large", "tenth"), ("large", "thousandth"), ("small", None), ("small", "tenth")],
)
async def test_an_indexed_search_finds_what_comparing_every_vector_finds(
    loaded: Loaded, tenant: str, project: str | None
) -> None:
    filling = loaded.large if tenant == "large" else loaded.small
    overlaps = []
    async with Database(loaded.runtime_url, pool_min=1, pool_max=2) as database:
        core = Core(database, NumberedQueries(loaded.queries), CursorSealer(CURSOR_KEY), lambda: NOW)
        for number, query in enumerate(loaded.queries):
            hits = await found(core, filling.principal, number, project)
            truth = true_hits(filling, query, project)
            assert len(hits) == len(truth)
            overlaps.append(len(set(hits) & set(truth)) / len(truth))
    assert np.mean(overlaps) >= 0.98
