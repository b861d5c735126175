"""Write the facts of a memory: serialised per series, generations kept apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.errors import InvalidRequest
from threengram.core.facts import queries
from threengram.core.facts.generations import Generation, place
from threengram.core.ids import new_id
from threengram.schema.memories import Fact, NewFact


@dataclass(frozen=True, slots=True)
class PlannedFacts:
    """The facts as they will be read back, and the steps that write them."""

    facts: list[Fact]
    steps: list[Step]


async def plan_facts(tx: TenantTransaction, memory_id: UUID, new: Sequence[NewFact], *, now: datetime) -> PlannedFacts:
    """Lock the series concerned, read their generations and decide; the steps have to run in the same transaction.

    Raises `InvalidRequest` with the path of the fact when a series appears twice or an instant is taken.
    """
    if not new:
        return PlannedFacts([], [])
    _refuse_repeated_series(new)
    series = sorted({(fact.subject, fact.predicate) for fact in new})
    names = {"subjects": [item[0] for item in series], "predicates": [item[1] for item in series]}
    _, rows = await tx.run([Step(queries.LOCK_SERIES, names), Step(queries.GENERATIONS, names)])
    facts, ends = _placed(memory_id, new, rows, now)
    steps = [_insertion(memory_id, facts, now)]
    if ends:
        ids, instants = zip(*ends, strict=True)
        steps.insert(0, Step(queries.END_FACTS, {"ids": list(ids), "ends": list(instants), "now": now}))
    return PlannedFacts(facts, steps)


def _refuse_repeated_series(new: Sequence[NewFact]) -> None:
    seen: set[tuple[str, str]] = set()
    for position, fact in enumerate(new):
        if (fact.subject, fact.predicate) in seen:
            raise InvalidRequest(
                "the same subject and predicate twice in one call; put what differs into the subject or the predicate",
                field=f"facts[{position}]",
            )
        seen.add((fact.subject, fact.predicate))


def _placed(
    memory_id: UUID, new: Sequence[NewFact], rows: list[Row], now: datetime
) -> tuple[list[Fact], list[tuple[UUID, datetime]]]:
    facts: list[Fact] = []
    ends: list[tuple[UUID, datetime]] = []
    for position, fact in enumerate(new):
        generations = [
            Generation(row["id"], row["value"], row["valid_from"], row["valid_to"])
            for row in rows
            if (row["subject"], row["predicate"]) == (fact.subject, fact.predicate)
        ]
        placement = place(
            generations,
            value=fact.value,
            valid_from=fact.valid_from or now,
            valid_to=fact.valid_to,
            field=f"facts[{position}].validFrom",
        )
        if placement.ends is not None:
            ends.append((placement.ends, placement.valid_from))
        facts.append(
            Fact(
                id=new_id(),
                memory_id=memory_id,
                subject=fact.subject,
                predicate=fact.predicate,
                value=fact.value,
                confidence=fact.confidence,
                valid_from=placement.valid_from,
                valid_to=placement.valid_to,
                recorded_at=now,
            )
        )
    return facts, ends


def _insertion(memory_id: UUID, facts: list[Fact], now: datetime) -> Step:
    return Step(
        queries.INSERT_FACTS,
        {
            "memory_id": memory_id,
            "now": now,
            "ids": [fact.id for fact in facts],
            "subjects": [fact.subject for fact in facts],
            "predicates": [fact.predicate for fact in facts],
            "values": [fact.value for fact in facts],
            "confidences": [fact.confidence for fact in facts],
            "valid_froms": [fact.valid_from for fact in facts],
            "valid_tos": [fact.valid_to for fact in facts],
        },
    )
