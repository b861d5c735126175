"""The relevance walk: the legs' candidates, fused once, then served page by page in a frozen order."""

from typing import NamedTuple
from uuid import UUID

from pgvector import HalfVector

from threengram.core.call import Call
from threengram.core.cursor import RankedRest
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.embeddings.embedder import QueryVector
from threengram.core.identity.admission import Admission
from threengram.core.lexical import query_terms
from threengram.core.search import legs, queries
from threengram.core.search.confidence import is_confident, signs
from threengram.core.search.eligibility import Eligibility
from threengram.core.search.fusion import Evidence, relevance, saturation, score, topic_matches, topic_phrase
from threengram.core.search.hits import hit
from threengram.schema.bounds import MAX_EXCERPT_CHARS
from threengram.schema.enums import VectorCoverage
from threengram.schema.search import Coverage, SearchInput, SearchOutput

POOL_FLOOR = 50
SECONDS_PER_DAY = 86_400.0


class Candidate(NamedTuple):
    """A row that some leg brought, what the legs know about it, and its rank score."""

    row: Row
    evidence: Evidence
    score: float


class Ranking:
    """One relevance search; `fingerprint` ties its cursors to it."""

    def __init__(
        self, call: Call, request: SearchInput, admission: Admission, filters: Eligibility, fingerprint: bytes
    ) -> None:
        self._call = call
        self._request = request
        self._admission = admission
        self._filters = filters
        self._fingerprint = fingerprint
        self._observer = call.core.database.observer
        self._terms = query_terms(request.query or "")
        self._phrase = topic_phrase(request.query or "")
        self._pool = max(4 * request.limit, POOL_FLOOR)

    async def first(self, tx: TenantTransaction, vector: QueryVector | None, coverage: VectorCoverage) -> SearchOutput:
        """The first page: every candidate is ranked, and the ranking frozen into the cursor."""
        if vector is not None and not self._serves(vector):
            vector, coverage = None, VectorCoverage.UNAVAILABLE
        found = await self._found(tx, vector)
        return self._answered(found, coverage)

    def _answered(self, found: list[Candidate], coverage: VectorCoverage) -> SearchOutput:
        rest = RankedRest(tuple(one.row["memory_no"] for one in found), tuple(one.score for one in found))
        cosines = [one.evidence.cosine for one in found if one.evidence.cosine is not None]
        top_similarity = round(max(cosines), 4) if cosines else None
        seen = signs([one.evidence for one in found], words=len({term.group for term in self._terms}))
        answer = Coverage(
            vector=coverage,
            lexical=VectorCoverage.USED if self._terms else VectorCoverage.OFF,
            candidates=len(found),
            top_similarity=top_similarity,
            confident=is_confident(self._admission.model, seen),
            pending_embeddings=found[0].row["pending"] if found else 0,
        )
        self._count(answer)
        return self._page([(one.row, one.score) for one in found], rest, answer)

    def _count(self, answer: Coverage) -> None:
        confident = {True: "true", False: "false", None: "unknown"}[answer.confident]
        self._observer.count("search", vector=answer.vector, confident=confident)

    async def candidates(self, tx: TenantTransaction, vector: QueryVector | None) -> list[Candidate]:
        """Everything the legs bring, best first, without a page around it."""
        return await self._found(tx, vector if vector is not None and self._serves(vector) else None)

    async def rest(self, tx: TenantTransaction, frozen: RankedRest) -> SearchOutput:
        """A later page: rows of the frozen ranking that are still eligible; nothing is embedded or ranked again."""
        limit = self._request.limit
        parameters = {
            **self._filters.parameters,
            "numbers": list(frozen.numbers),
            "scores": list(frozen.scores),
            "fetch": limit + 1,
            "excerpt_chars": MAX_EXCERPT_CHARS,
        }
        with self._observer.span("search.page"):
            rows = await tx.fetch_last(queries.frozen(self._filters), parameters)
        start = int(rows[limit]["position"]) - 1 if len(rows) > limit else len(frozen.numbers)
        kept = RankedRest(
            frozen.numbers[:limit] + frozen.numbers[start:], frozen.scores[:limit] + frozen.scores[start:]
        )
        answer = Coverage(
            vector=VectorCoverage.OFF,
            lexical=VectorCoverage.OFF,
            candidates=len(frozen.numbers),
            pending_embeddings=rows[0]["pending"] if rows else 0,
        )
        return self._page([(row, row["score"]) for row in rows], kept, answer)

    def _serves(self, vector: QueryVector) -> bool:
        """Whether the vector is by the model whose vectors it is to be compared with."""
        model = self._admission.model
        return model is not None and (vector.model_name, len(vector.values)) == (model.name, model.dimensions)

    async def _found(self, tx: TenantTransaction, vector: QueryVector | None) -> list[Candidate]:
        rows = await self._rows(tx, vector)
        with self._observer.span("search.fuse", rows=len(rows)):
            weighed = [(row, self._evidence(row)) for row in rows]
            left = _bequeathed(weighed)
            found = [
                Candidate(row, evidence, score(evidence, bequeathed=left.get(row["id"], 0.0)))
                for row, evidence in weighed
            ]
            return sorted(found, key=lambda one: (-one.score, -one.row["memory_no"]))

    async def _rows(self, tx: TenantTransaction, vector: QueryVector | None) -> list[Row]:
        model = None if vector is None else self._admission.model
        is_walked = model is not None and await self._is_large(tx)
        budget = queries.POSTING_BUDGET
        if model is None:
            leg, statement = "worded", legs.worded(self._filters)
        elif is_walked:
            leg, statement = "walked", legs.walked(self._filters, model)
        else:
            leg = "compared"
            is_small = self._admission.memory_count <= queries.EXACT_MEMORIES
            statement = legs.compared(self._filters, model, is_small=is_small)
            budget = queries.COMPARED_POSTING_BUDGET
        step = Step(
            statement,
            {
                **self._filters.parameters,
                "terms": [term.key for term in self._terms],
                "groups": [term.group for term in self._terms],
                "weights": [term.weight for term in self._terms],
                "memory_count": self._admission.memory_count,
                "posting_budget": budget,
                "pool": self._pool,
                "window_pool": self._pool * 2,
                "excerpt_chars": MAX_EXCERPT_CHARS,
                "vector": None if vector is None else HalfVector(vector.values),
            },
        )
        steps = [queries.walking(self._admission.memory_count), step] if is_walked else [step]
        with self._observer.span(f"search.{leg}"):
            return (await tx.run(steps, commit=True))[-1]

    async def _is_large(self, tx: TenantTransaction) -> bool:
        if self._admission.memory_count <= queries.EXACT_MEMORIES:
            return False
        if not self._filters.is_narrow:
            return True
        parameters = {**self._filters.parameters, "bound": queries.EXACT_MEMORIES + 1}
        (row,) = await tx.fetch(queries.counted(self._filters), parameters)
        return bool(row["eligible"] > queries.EXACT_MEMORIES)

    def _evidence(self, row: Row) -> Evidence:
        age_days = (self._call.now - row["recorded_at"]).total_seconds() / SECONDS_PER_DAY
        return Evidence(
            cosine=row["cosine"],
            lexical=_share(row),
            topic_matches=topic_matches(self._phrase, row["topic"]),
            age_days=age_days,
            superseded=row["superseded"],
        )

    def _page(self, ranked: list[tuple[Row, float]], frozen: RankedRest, coverage: Coverage) -> SearchOutput:
        limit = self._request.limit
        hits = [hit(row, value, self._request.projection) for row, value in ranked[:limit]]
        has_more = len(ranked) > limit
        cursor = None
        if has_more:
            remaining = RankedRest(frozen.numbers[limit:], frozen.scores[limit:])
            cursor = self._call.core.cursors.seal(self._call.principal.tenant_id, self._fingerprint, remaining)
        return SearchOutput(hits=hits, count=len(hits), has_more=has_more, next_cursor=cursor, coverage=coverage)


def _share(row: Row) -> float:
    """The lexical score: the share of the query's mass that a memory covers, saturated by its posting weights."""
    if not row["mass"]:
        return 0.0
    return saturation(row["lexical"]) / float(row["mass"])


def _bequeathed(weighed: list[tuple[Row, Evidence]]) -> dict[UUID, float]:
    """For each successor the best relevance of what it replaced, handed on from the oldest of a chain to its head."""
    left: dict[UUID, float] = {}
    replaced = [(row, relevance(evidence)) for row, evidence in weighed if evidence.superseded]
    for row, own in sorted(replaced, key=lambda one: one[0]["memory_no"]):
        heir = row["successor_id"]
        left[heir] = max(left.get(heir, 0.0), own, left.get(row["id"], 0.0))
    return left
