"""What the page of memories says about a search."""

import pytest

from threengram.api.browsing.results import searched
from threengram.core.ids import new_id
from threengram.schema.enums import MemoryType, VectorCoverage
from threengram.schema.instants import parse_instant
from threengram.schema.search import Coverage, Hit, SearchOutput

HIT = Hit(
    id=new_id(), memory_type=MemoryType.NOTE, topic="Ledger", content="Four shards", content_length=11, truncated=False,
    score=0.5, superseded=True, scope="work", project=None, recorded_at=parse_instant("2026-03-01T00:00:00Z"),
)  # fmt: skip
MEANING, UNSURE = "Search by meaning is not available right now", "None of these looks like a sure answer."


@pytest.mark.parametrize(
    ("vector", "confident", "hits", "notes"),
    [
        (VectorCoverage.USED, True, [HIT], []),
        (VectorCoverage.OFF, None, [HIT], []),
        (VectorCoverage.USED, False, [HIT], [UNSURE]),
        (VectorCoverage.USED, False, [], []),
        (VectorCoverage.UNAVAILABLE, None, [HIT], [MEANING]),
        (VectorCoverage.UNAVAILABLE, False, [HIT], [MEANING, UNSURE]),
    ],
)
def test_a_search_says_what_it_could_not_see_and_whether_it_is_sure(
    vector: VectorCoverage, confident: bool | None, hits: list[Hit], notes: list[str]
) -> None:
    coverage = Coverage(
        vector=vector, lexical=VectorCoverage.USED, candidates=1, confident=confident, pending_embeddings=0
    )
    found = searched(SearchOutput(hits=hits, count=len(hits), has_more=False, coverage=coverage))
    assert [note[: len(start)] for note, start in zip(found.notes, notes, strict=True)] == notes
    assert [result.marks for result in found.results] == [["superseded"] for _ in hits]
