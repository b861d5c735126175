"""Facts of a file. Generations of a subject and predicate never overlap, and none that is here gives way."""

from collections.abc import Sequence
from uuid import UUID

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.imports import queries
from threengram.core.imports.holding import held, holding
from threengram.core.imports.ledger import NEW, SAME, Entry, Held, Ledger, Plan, Verdict, skipped
from threengram.schema.import_records import ImportedFact
from threengram.schema.imports import SkipReason

_NAMES = ("memory_id", "subject", "predicate", "value", "valid_from")
_Taken = dict[tuple[str, str], list[ImportedFact]]


async def planned(call: Call, tx: TenantTransaction, entries: Sequence[Entry[ImportedFact]], ledger: Ledger) -> Plan:
    """What becomes of each fact. Those that come in go on record at one instant, after what their series hold."""
    records = [entry.record for entry in entries]
    memory_ids = {record.memory_id for record in records}
    asked = {
        "ids": [record.id for record in records],
        "subjects": [record.subject for record in records],
        "predicates": [record.predicate for record in records],
        "valid_froms": [record.valid_from for record in records],
        "valid_tos": [record.valid_to for record in records],
        "now": call.now,
    }
    statements = (queries.LOCK_FACT_SERIES, queries.FOUND_FACTS, queries.FACTS_IN_THE_WAY, queries.RECORDING)
    _, _, memory_rows, _, found, overlapping, recording = await tx.run(
        [*holding(memory_ids), *(Step(statement, asked) for statement in statements)]
    )
    memories = held(memory_rows, memory_ids, ledger)
    here = {row["id"]: row for row in found}
    in_the_way = {row["place"]: row["id"] for row in overlapping}
    taken: _Taken = {}
    verdicts, new = [], []
    for place, record in enumerate(records):
        row = here.get(record.id)
        verdict = (
            _repeated(record, row) if row is not None else _fitting(record, memories, in_the_way.get(place), taken)
        )
        if verdict is NEW:
            here[record.id] = record.model_dump()
            taken.setdefault((record.subject, record.predicate), []).append(record)
            new.append(record)
        verdicts.append(verdict)
    return Plan(verdicts, [_insertion(new, recording[0])] if new else [])


def _repeated(record: ImportedFact, here: Row) -> Verdict:
    if any(here[name] != getattr(record, name) for name in _NAMES):
        return skipped(SkipReason.ID_TAKEN)
    is_same = here["status"] == record.status and here["valid_to"] == record.valid_to
    return SAME if is_same else skipped(SkipReason.CHANGED_HERE)


def _fitting(record: ImportedFact, memories: dict[UUID, Held], in_the_way: UUID | None, taken: _Taken) -> Verdict:
    memory = memories.get(record.memory_id)
    if memory is None:
        return skipped(SkipReason.REFERS_TO_MISSING)
    if record.is_live and not memory.is_live:
        return skipped(SkipReason.DOES_NOT_FIT)
    neighbours = taken.get((record.subject, record.predicate), ())
    other_id = in_the_way or next((other.id for other in neighbours if _overlap(record, other)), None)
    return NEW if other_id is None else skipped(SkipReason.OVERLAPS, other_id)


def _overlap(one: ImportedFact, other: ImportedFact) -> bool:
    if not one.has_duration or not other.has_duration:
        return False
    return (one.valid_to is None or other.valid_from < one.valid_to) and (
        other.valid_to is None or one.valid_from < other.valid_to
    )


def _insertion(facts: Sequence[ImportedFact], recording: Row) -> Step:
    return Step(
        queries.IMPORT_FACTS,
        {
            "ids": [fact.id for fact in facts],
            "memory_ids": [fact.memory_id for fact in facts],
            "subjects": [fact.subject for fact in facts],
            "predicates": [fact.predicate for fact in facts],
            "values": [fact.value for fact in facts],
            "confidences": [fact.confidence for fact in facts],
            "statuses": [str(fact.status) for fact in facts],
            "valid_froms": [fact.valid_from for fact in facts],
            "valid_tos": [fact.valid_to for fact in facts],
            "recorded_ats": [fact.recorded_at for fact in facts],
            "at": recording["at"],
        },
    )
