"""A tenant too large to compare every vector: the index is walked, and finds what comparing everything would find."""

import numpy as np
import psycopg
import pytest

from tests.integration.core.writing import day, find
from tests.people import Person, a_person, in_database
from threengram.core.call import Core
from threengram.core.embeddings.embedder import DocumentVectors, QueryVector, Vector
from threengram.core.search import queries
from threengram.evals.bench.corpus import Text
from threengram.evals.bench.load import Filling, load
from threengram.schema.enums import MemoryType, VectorCoverage

MEMORIES = 1_500
LARGE = 1_000
"""More than this is walked here; the product's own bound would make a test of minutes."""

CLUSTERS = 20
DIMENSIONS = 384
QUESTIONS = 20
LIMIT = 25
SPREAD = 0.7
"""How far the vectors of one cluster lie around its middle, against the middle's length of one."""

random = np.random.default_rng(7)
middles = random.normal(size=(CLUSTERS, DIMENSIONS))
middles /= np.linalg.norm(middles, axis=1, keepdims=True)


def near(cluster: int) -> Vector:
    """A unit vector of a cluster."""
    vector = middles[cluster % CLUSTERS] + random.normal(size=DIMENSIONS) * SPREAD / DIMENSIONS**0.5
    return [float(number) for number in vector / np.linalg.norm(vector)]


class Answering:
    """A model that gives one vector, whatever the text."""

    model_name = "hash-384"
    dimensions = DIMENSIONS
    is_metered = False

    def __init__(self, vector: Vector) -> None:
        self.vector = vector

    def look_again(self) -> None:
        """It speaks for one model."""

    def speaking_for(self, model_name: str, dimensions: int) -> "Answering":
        return self

    async def embed_query(self, query: str, *, timeout_s: float) -> QueryVector:
        return QueryVector(self.model_name, self.vector)

    async def embed_document(
        self, topic: str, content: str, *, timeout_s: float, first_window_only: bool, priority: str
    ) -> DocumentVectors:
        return DocumentVectors(self.model_name, [self.vector], 1, 0)


@pytest.fixture(scope="module")
def crowded(database_url: str, owner_url: str) -> Person:
    """Somebody with many memories, every fiftieth of them in a project; all share a common word."""
    person = in_database(database_url, lambda database: a_person(database, now=day(1)))
    texts = [
        Text(MemoryType.NOTE, f"Topic {n}", f"common words about entry {n}", "work", None if n % 50 else "rare")
        for n in range(MEMORIES)
    ]
    vectors = np.stack([near(number) for number in range(MEMORIES)])
    with psycopg.connect(owner_url, autocommit=True) as owner:
        load(owner, [Filling(person.principal, texts, vectors)], model_id=1, now=day(1))
        owner.execute("ANALYZE memory_embeddings, memories, memory_terms, term_stats")
    return person


@pytest.fixture(autouse=True)
def walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "EXACT_MEMORIES", LARGE)


def asking(core: Core, vector: Vector) -> Core:
    return Core(core.database, Answering(vector), core.cursors, core.clock)


async def test_the_walk_finds_what_comparing_everything_finds(
    core: Core, crowded: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = []
    for number in range(QUESTIONS):
        asked = asking(core, near(number))
        walked = await find(asked, crowded, "xyzzy", limit=LIMIT)
        with monkeypatch.context() as everything:
            everything.setattr(queries, "EXACT_MEMORIES", 10 * MEMORIES)
            compared = await find(asked, crowded, "xyzzy", limit=LIMIT)
        assert (walked.count, compared.count) == (LIMIT, LIMIT)
        assert walked.coverage.vector is compared.coverage.vector is VectorCoverage.USED
        shares.append(len({hit.id for hit in walked.hits} & {hit.id for hit in compared.hits}) / LIMIT)
    assert sum(shares) / QUESTIONS >= 0.98


async def test_a_narrow_filter_gets_every_row_that_fits(core: Core, crowded: Person) -> None:
    found = await find(asking(core, near(1)), crowded, "xyzzy", project="rare", limit=LIMIT)
    assert found.count == LIMIT
    assert found.coverage.candidates >= MEMORIES // 50
    assert (await find(asking(core, near(1)), crowded, "xyzzy", project="nowhere")).count == 0


async def test_words_are_read_rarest_first_within_a_budget(
    core: Core, crowded: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "POSTING_BUDGET", 100)
    far = [-number for number in near(5)]
    (hit, *_) = (await find(asking(core, far), crowded, "common 1321")).hits
    assert hit.topic == "Topic 1321"
