"""A shelf of twenty memories with vectors, of which it is known what consolidation has to propose and what it must not.

Every tenant of a crowd gets the same texts, and vectors around the same middles: whoever looked across tenants would
find every neighbour five thousand times.
"""

from collections.abc import Mapping
from uuid import UUID

import numpy as np
import psycopg

from tests.integration.worker.crowds import Kept, crowd, seeing_everybody, unsurfaced
from tests.integration.worker.fanning import SURFACE, FannedOut
from threengram.evals.bench.binary_copy import embeddings
from threengram.evals.bench.load import index_rebuilt_afterwards
from threengram.schema.enums import MemoryType

DIMENSIONS = 384
MODEL_ID = 1
CONSOLIDATE = "consolidate"
SEED = 2026
SPREAD = 0.3
"""How far vectors lie around their middle of length one; two of them then have a cosine of about 0.92."""

SHELF = (
    Kept(MemoryType.FACT, "pool", "The pool is 25 m long.", near="pool"),
    Kept(MemoryType.FACT, "pool", "The pool is 50 m long.", near="pool"),
    Kept(MemoryType.PREFERENCE, "tea", "Anna drinks her tea without sugar.", near="tea"),
    Kept(MemoryType.PREFERENCE, "tea", "Anna drinks her tea without sugar", near="tea"),
    # Look-alikes: another train.
    Kept(MemoryType.NOTE, "train to Bern", "The train to Bern leaves at 8:15.", near="trains"),
    Kept(MemoryType.NOTE, "train to Basel", "The train to Basel leaves at 9:30.", near="trains"),
    # Another value, in another scope.
    Kept(MemoryType.FACT, "tower", "The tower is 40 m high.", near="tower"),
    Kept(MemoryType.FACT, "tower", "The tower is 44 m high.", scope="work", near="tower"),
    # Another value, but the vectors say that the two have nothing to do with each other.
    Kept(MemoryType.FACT, "bridge", "The bridge weighs 12 t."),
    Kept(MemoryType.FACT, "bridge", "The bridge weighs 15 t."),
    Kept(MemoryType.EVENT, "race", "Mia finished the race in 52 minutes.", near="race"),
    Kept(MemoryType.EVENT, "race", "Mia finished the race in 52 minutes. She wore red shoes.", near="race"),
    # Near each other, and about four things.
    Kept(MemoryType.NOTE, "garden", "Roses want a little shade.", near="notes"),
    Kept(MemoryType.NOTE, "recipes", "Soup gets better on the second day.", near="notes"),
    Kept(MemoryType.NOTE, "museum", "Old maps hang in the second room.", near="notes"),
    Kept(MemoryType.NOTE, "language", "Two words for the same thing confuse readers.", near="notes"),
    Kept(MemoryType.DECISION, "harbour", "Boats are painted before they are launched."),
    Kept(MemoryType.PATTERN, "writing", "First the tests, then the words."),
    Kept(MemoryType.COMMITMENT, "plants", "Water the plants."),
    Kept(MemoryType.COMMITMENT, "letter", "Answer the letter."),
)
PROPOSED = {(2, 1): "supersedes", (4, 3): "supersedes", (12, 11): "extends"}
"""By the numbers of the newer and the older memory."""

COUNTED = {"scanned": len(SHELF), "pairs": 10, "proposed": len(PROPOSED), "claims": 6, "calls": 0, "dropped": 0}
"""What a run of one tenant counts: the pairs are those of the same vectors and scope, whatever becomes of them."""


def crowd_with_shelves(owner_url: str, *, tenants: int, switched_off: int = 0) -> None:
    """That many tenants with a shelf and its vectors each; the first ones have switched consolidation off."""
    crowd(owner_url, tenants=tenants, shelf=SHELF)
    with (
        psycopg.connect(owner_url, autocommit=True) as owner,
        index_rebuilt_afterwards(owner, model_id=MODEL_ID, dimensions=DIMENSIONS),
        seeing_everybody(owner),
    ):
        _shelve_vectors(owner)
        owner.execute(
            "INSERT INTO consolidation_progress (tenant_id, is_enabled, changed_at)"
            " SELECT md5('tenant ' || n)::uuid, false, now() FROM generate_series(1, %s) n",
            [switched_off],
        )
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("ANALYZE")


def _shelve_vectors(owner: psycopg.Connection) -> None:
    random = np.random.default_rng(SEED)
    middles = {kept.near: _unit(random.normal(size=DIMENSIONS)) for kept in SHELF if kept.near is not None}
    found = owner.execute("SELECT tenant_id, array_agg(id ORDER BY memory_no) FROM memories GROUP BY tenant_id")
    for tenant_id, memory_ids in found.fetchall():
        noise = random.normal(size=(len(SHELF), DIMENSIONS)) / DIMENSIONS**0.5
        vectors = [
            _unit(one if kept.near is None else middles[kept.near] + SPREAD * one)
            for kept, one in zip(SHELF, noise, strict=True)
        ]
        embeddings(owner, tenant_id, memory_ids, np.array(vectors, np.float32), MODEL_ID)


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))


def require_as_planted(owner_url: str, done: FannedOut, *, tenants: int, switched_off: int) -> None:
    """Fail unless every tenant had one run of each kind, and exactly what was planted came of it."""
    served, consolidated = done.tenants(SURFACE), done.tenants(CONSOLIDATE)
    assert (len(served), set(served.values())) == (tenants, {1})
    assert (len(consolidated), set(consolidated.values())) == (tenants - switched_off, {1})
    assert [run.counts for run in done.runs[CONSOLIDATE] if run.counts != COUNTED] == []
    assert unsurfaced(owner_url, list(served)) == 0
    found = proposals(owner_url)
    assert (found.keys(), [edges for edges in found.values() if edges != PROPOSED]) == (consolidated.keys(), [])
    assert claims(owner_url) == dict.fromkeys(consolidated, COUNTED["claims"])


def proposals(owner_url: str) -> Mapping[UUID, dict[tuple[int, int], str]]:
    """The edges proposed to each tenant by memory numbers, the newer one first; fails on one proposed twice."""
    found: dict[UUID, dict[tuple[int, int], str]] = {}
    with psycopg.connect(owner_url) as owner, seeing_everybody(owner):
        owner.execute("ALTER TABLE consolidation_proposals NO FORCE ROW LEVEL SECURITY")
        rows = owner.execute(
            "SELECT p.tenant_id, f.memory_no, t.memory_no, p.edge_type FROM consolidation_proposals p"
            " JOIN memories f ON f.id = p.from_id JOIN memories t ON t.id = p.to_id"
        ).fetchall()
        owner.execute("ALTER TABLE consolidation_proposals FORCE ROW LEVEL SECURITY")
    for tenant_id, newer_no, older_no, edge_type in rows:
        own = found.setdefault(tenant_id, {})
        assert (newer_no, older_no) not in own
        own[newer_no, older_no] = edge_type
    return found


def claims(owner_url: str) -> dict[UUID, int]:
    """How many facts are proposed to each tenant."""
    with psycopg.connect(owner_url) as owner, owner.transaction():
        owner.execute("ALTER TABLE fact_proposals NO FORCE ROW LEVEL SECURITY")
        rows = owner.execute("SELECT tenant_id, count(*) FROM fact_proposals GROUP BY tenant_id").fetchall()
        owner.execute("ALTER TABLE fact_proposals FORCE ROW LEVEL SECURITY")
    return dict(rows)
