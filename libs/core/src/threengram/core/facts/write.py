"""Write the facts of a memory: serialised per series, generations kept apart.

A write reads what it stands on (`reading`, three steps behind the locks of its series) and then decides without I/O
(`planned`), so that a verb can put both into round trips of its own.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from threengram.core.db.statement import Row, Step
from threengram.core.errors import InvalidRequest
from threengram.core.facts import queries
from threengram.core.facts.generations import Generation, closed_at, place
from threengram.core.ids import new_id
from threengram.schema.enums import MemoryStatus
from threengram.schema.memories import Fact, NewFact

_Series = defaultdict[tuple[str, str], list[Generation]]


@dataclass(frozen=True, slots=True)
class PlannedFacts:
    """When the write goes on record, the facts as they will be read back, and the steps that write them."""

    at: datetime
    facts: list[Fact]
    steps: list[Step]


def reading(new: Sequence[NewFact], *, now: datetime, closing: UUID | None = None) -> list[Step]:
    """The steps that lock every series concerned and read it; `closing` is the memory whose facts are to end.

    Raises `InvalidRequest` when a series appears twice.
    """
    _refuse_repeated_series(new)
    names = {
        "subjects": [fact.subject for fact in new],
        "predicates": [fact.predicate for fact in new],
        "valid_froms": [fact.valid_from for fact in new],
        "closing_id": closing,
        "now": now,
    }
    recording = queries.NEIGHBOURS if new else queries.RECORDING
    wanted = (queries.LOCK_SERIES, queries.FACTS_OF_MEMORY, recording)
    return [Step(statement, names) for statement in wanted]


def planned(
    rows: Sequence[list[Row]], memory_id: UUID, new: Sequence[NewFact], *, status: MemoryStatus = MemoryStatus.ACTIVE
) -> PlannedFacts:
    """The decision over the rows of `reading`, to be run in the same transaction.

    Open facts of the memory that was named as closing end when the write goes on record, and get `status`. Raises
    `InvalidRequest` with the path of the fact when another memory's fact holds the instant.
    """
    _, own, recording = rows
    at: datetime = recording[0]["at"]
    neighbours = [row for row in recording if row.get("id") is not None]
    statuses = {row["id"]: row["status"] for row in [*own, *neighbours]}
    series: _Series = defaultdict(list)
    ends: dict[UUID, datetime] = {}
    for row in own:
        generation = _generation(row, is_replaceable=True)
        end = closed_at(generation, at)
        if end is not None and end != generation.valid_to:
            ends[generation.fact_id], statuses[generation.fact_id] = end, status
        series[row["subject"], row["predicate"]].append(replace(generation, valid_to=end))
    for row in neighbours:
        series[row["subject"], row["predicate"]].append(_generation(row))
    facts = [_placed(memory_id, fact, position, series, ends, at) for position, fact in enumerate(new)]
    steps = []
    if ends:
        steps.append(next_versions(ends, [statuses[fact_id] for fact_id in ends], at))
    if facts:
        steps.append(_insertion(memory_id, facts, at))
    return PlannedFacts(at, facts, steps)


def next_versions(ends: Mapping[UUID, datetime | None], statuses: Iterable[str], at: datetime) -> Step:
    """The step that gives each fact its next version, with a new end and status."""
    return Step(
        queries.NEXT_VERSIONS,
        {
            "ids": list(ends),
            "valid_tos": list(ends.values()),
            "statuses": [str(status) for status in statuses],
            "at": at,
        },
    )


def _generation(row: Row, *, is_replaceable: bool = False) -> Generation:
    return Generation(row["id"], row["value"], row["valid_from"], row["valid_to"], is_replaceable)


def _placed(
    memory_id: UUID,
    fact: NewFact,
    position: int,
    series: _Series,
    ends: dict[UUID, datetime],
    at: datetime,
) -> Fact:
    placement = place(
        series[fact.subject, fact.predicate],
        value=fact.value,
        valid_from=fact.valid_from or at,
        valid_to=fact.valid_to,
        field=f"facts[{position}].validFrom",
    )
    if placement.ends is not None:
        ends[placement.ends] = placement.valid_from
    return Fact(
        id=new_id(),
        memory_id=memory_id,
        subject=fact.subject,
        predicate=fact.predicate,
        value=fact.value,
        confidence=fact.confidence,
        valid_from=placement.valid_from,
        valid_to=placement.valid_to,
        recorded_at=at,
    )


def _refuse_repeated_series(new: Sequence[NewFact]) -> None:
    seen: set[tuple[str, str]] = set()
    for position, fact in enumerate(new):
        if (fact.subject, fact.predicate) in seen:
            raise InvalidRequest(
                "the same subject and predicate twice in one call; put what differs into the subject or the predicate",
                field=f"facts[{position}]",
            )
        seen.add((fact.subject, fact.predicate))


def _insertion(memory_id: UUID, facts: list[Fact], at: datetime) -> Step:
    return Step(
        queries.INSERT_FACTS,
        {
            "memory_id": memory_id,
            "at": at,
            "ids": [fact.id for fact in facts],
            "subjects": [fact.subject for fact in facts],
            "predicates": [fact.predicate for fact in facts],
            "values": [fact.value for fact in facts],
            "confidences": [fact.confidence for fact in facts],
            "valid_froms": [fact.valid_from for fact in facts],
            "valid_tos": [fact.valid_to for fact in facts],
        },
    )
