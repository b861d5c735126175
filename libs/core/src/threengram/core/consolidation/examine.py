"""One batch of a tenant's consolidation: read, judge, propose and move on, in that order.

Judging happens between two units of work, so that neither a slow rule nor a slow model holds a transaction. What the
second one writes is guarded: it goes on only from where the first one read, proposes only what is still live, and
leaves what is settled. Killed anywhere, a batch has written all of its part or nothing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from threengram.core.consolidation import queries
from threengram.core.consolidation.candidates import EdgeCandidate, Pair, edges, judged, pairs_of
from threengram.core.consolidation.claims import CLAIMING, Claim, claims_in
from threengram.core.consolidation.reading.reading import MAX_READ_CHARS
from threengram.core.consolidation.refinement import Refined, Refinement
from threengram.core.db.database import Database
from threengram.core.db.statement import Row, Step
from threengram.core.ids import new_id
from threengram.core.principal import Principal
from threengram.core.search.queries import EXACT_MEMORIES, walking
from threengram.schema.enums import MemoryType

BATCH_MEMORIES = 32
MAX_NEIGHBOURS = 20
MIN_SIMILARITY = 0.5
"""Below it no pair is looked at: enough for paraphrases by any model, and what is nearer is left to the rules."""

DEFAULT_MAX_OPEN = 200


@dataclass(frozen=True, slots=True)
class Examined:
    """What one batch did; `has_more` when more memories are to be examined and there is room for proposals."""

    scanned: int = 0
    pairs: int = 0
    proposed: int = 0
    claims: int = 0
    calls: int = 0
    dropped: int = 0
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class _Batch:
    """What was read: the subjects in order, their neighbours, and how far the tenant had been examined."""

    examined_no: int
    room: int
    fact_room: int
    subjects: list[Row]
    pairs: list[Pair]
    is_full: bool


@dataclass(slots=True)
class _Outcome:
    """What is to be written: proposals, the last number examined, and who goes on waiting."""

    examined_no: int
    edges: list[EdgeCandidate] = field(default_factory=list)
    claims: list[tuple[UUID, Claim]] = field(default_factory=list)
    examined_ids: list[UUID] = field(default_factory=list)
    waiting_ids: list[UUID] = field(default_factory=list)


async def examine(
    database: Database,
    principal: Principal,
    *,
    now: datetime,
    max_open: int = DEFAULT_MAX_OPEN,
    refinement: Refinement | None = None,
) -> Examined:
    """One batch of the tenant. With `max_open` proposals of a kind undecided none is examined; the rest stays."""
    batch = await _read(database, principal, max_open)
    if batch is None or not batch.subjects:
        return Examined()
    found = edges(await asyncio.to_thread(judged, batch.pairs))
    refined = Refined(found, await asyncio.to_thread(_claims, batch.subjects), calls=0, dropped=0)
    if refinement is not None:
        refined = await refinement.refine(database, principal, batch.subjects, refined.edges, refined.claims, now=now)
    outcome = _within(batch, refined)
    written = await _write(database, principal, batch, outcome, now)
    if written is None:
        return Examined(pairs=len(batch.pairs), calls=refined.calls, dropped=refined.dropped)
    database.observer.count("proposal", written[0], kind="edge", outcome="proposed")
    database.observer.count("proposal", written[1], kind="fact", outcome="proposed")
    taken = len(outcome.examined_ids) + len(outcome.waiting_ids)
    return Examined(
        scanned=taken,
        pairs=len(batch.pairs),
        proposed=written[0],
        claims=written[1],
        calls=refined.calls,
        dropped=refined.dropped,
        has_more=batch.is_full or taken < len(batch.subjects),
    )


async def _read(database: Database, principal: Principal, max_open: int) -> _Batch | None:
    """None when the tenant has switched consolidation off, or has enough to decide."""
    async with database.tenant(principal) as tx:
        (standing,) = await tx.fetch(queries.STANDING) or (None,)
        if standing is None or not standing["is_enabled"]:
            return None
        room, fact_room = max_open - standing["open_edges"], max_open - standing["open_facts"]
        if room <= 0 or fact_room <= 0:
            return None
        subjects = await tx.fetch(
            queries.SUBJECTS,
            {
                "examined_no": standing["examined_no"],
                "model_id": standing["model_id"],
                "limit": BATCH_MEMORIES,
                "content_chars": MAX_READ_CHARS + 1,
            },
        )
        pairs = []
        ready = [row["id"] for row in subjects if row["is_live"] and row["has_vector"]]
        if ready:
            statement = queries.neighbours(standing["model_id"], standing["dimensions"])
            parameters = {
                "subject_ids": ready,
                "neighbours": MAX_NEIGHBOURS,
                "min_similarity": MIN_SIMILARITY,
                "content_chars": MAX_READ_CHARS + 1,
            }
            is_large = standing["memory_count"] > EXACT_MEMORIES
            settings = [walking(standing["memory_count"])] if is_large else []
            *_, rows = await tx.run([*settings, Step(statement, parameters)])
            pairs = pairs_of(subjects, rows)
        is_full = len(subjects) >= BATCH_MEMORIES
        return _Batch(standing["examined_no"], room, fact_room, subjects, pairs, is_full)


def _claims(subjects: Sequence[Row]) -> list[tuple[UUID, Claim]]:
    """The claims of what is examined for the first time."""
    return [
        (row["id"], claim)
        for row in subjects
        if row["is_new"] and row["is_live"] and MemoryType(row["memory_type"]) in CLAIMING
        for claim in claims_in(row["topic"], row["content"])
    ]


def _within(batch: _Batch, found: Refined) -> _Outcome:
    """As many subjects, in order, as there is room for proposals about; the others are examined again later.

    The first subject is always taken, with its surest proposals, so that every batch gets on.
    """
    outcome = _Outcome(batch.examined_no)
    by_subject = _attributed(batch.subjects, found.edges)
    for row in batch.subjects:
        own = by_subject.get(row["id"], [])
        own_claims = [claim for claim in found.claims if claim[0] == row["id"]]
        is_first = not outcome.examined_ids and not outcome.waiting_ids
        edge_count, claim_count = len(outcome.edges) + len(own), len(outcome.claims) + len(own_claims)
        if (edge_count > batch.room or claim_count > batch.fact_room) and not is_first:
            break
        outcome.edges += own[: batch.room]
        outcome.claims += own_claims[: batch.fact_room]
        waits = row["is_live"] and not row["has_vector"]
        (outcome.waiting_ids if waits else outcome.examined_ids).append(row["id"])
        outcome.examined_no = max(outcome.examined_no, row["memory_no"]) if row["is_new"] else outcome.examined_no
    return outcome


def _attributed(subjects: Sequence[Row], proposed: Sequence[EdgeCandidate]) -> dict[UUID, list[EdgeCandidate]]:
    """Each proposal under the later of its subjects in this batch, so that it is written when both were examined."""
    order = {row["id"]: place for place, row in enumerate(subjects)}
    found: dict[UUID, list[EdgeCandidate]] = {}
    for edge in proposed:
        ends = [end for end in (edge.pair.newer_id, edge.pair.older_id) if end in order]
        found.setdefault(max(ends, key=order.__getitem__), []).append(edge)
    return found


async def _write(
    database: Database, principal: Principal, batch: _Batch, outcome: _Outcome, now: datetime
) -> tuple[int, int] | None:
    """How many edges and facts are proposed anew; None when the tenant has moved on meanwhile."""
    async with database.tenant(principal) as tx:
        advance = {"examined_no": outcome.examined_no, "expected_no": batch.examined_no, "now": now}
        if not await tx.fetch(queries.ADVANCE, advance):
            return None
        inserted_edges, inserted_facts, _, _ = await tx.run(
            [
                Step(queries.INSERT_EDGES, {**_edge_columns(outcome.edges), "now": now}),
                Step(queries.INSERT_FACTS, {**_fact_columns(outcome.claims), "now": now}),
                Step(queries.STOP_WAITING, {"examined_ids": outcome.examined_ids}),
                Step(queries.WAIT, {"waiting_ids": outcome.waiting_ids}),
            ],
            commit=True,
        )
    return len(inserted_edges), len(inserted_facts)


def _edge_columns(proposed: Sequence[EdgeCandidate]) -> dict[str, object]:
    return {
        "ids": [new_id() for _ in proposed],
        "from_ids": [edge.pair.newer_id for edge in proposed],
        "to_ids": [edge.pair.older_id for edge in proposed],
        "edge_types": [edge.edge_type for edge in proposed],
        "similarities": [edge.pair.similarity for edge in proposed],
        "rationales": [edge.rationale for edge in proposed],
        "rules": [edge.rule for edge in proposed],
        "confidences": [edge.confidence for edge in proposed],
    }


def _fact_columns(claims: Sequence[tuple[UUID, Claim]]) -> dict[str, object]:
    return {
        "ids": [new_id() for _ in claims],
        "memory_ids": [memory_id for memory_id, _ in claims],
        "subjects": [claim.subject for _, claim in claims],
        "predicates": [claim.predicate for _, claim in claims],
        "values": [claim.value for _, claim in claims],
        "confidences": [claim.confidence for _, claim in claims],
        "rationales": ["found in the text by a rule" for _ in claims],
    }
