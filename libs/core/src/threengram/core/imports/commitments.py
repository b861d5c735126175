"""Commitments of a file, each as it stood, and the occurrences behind the recurring ones."""

from collections.abc import Sequence
from uuid import UUID

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.imports import queries
from threengram.core.imports.holding import held, holding
from threengram.core.imports.ledger import NEW, SAME, Entry, Held, Ledger, Plan, Verdict, skipped
from threengram.schema.enums import MemoryType
from threengram.schema.import_records import ImportedCommitment, ImportedOccurrence
from threengram.schema.imports import SkipReason

_STATE = ("status", "owner", "due_at", "recurrence", "recurs_from", "resolved_at")
"""What moves a commitment on. That it was brought up is no change of it."""


async def planned(
    call: Call, tx: TenantTransaction, entries: Sequence[Entry[ImportedCommitment]], ledger: Ledger
) -> Plan:
    """What becomes of each commitment."""
    records = [entry.record for entry in entries]
    memory_ids = {record.memory_id for record in records}
    asked = {"ids": [record.id for record in records], "memory_ids": list(memory_ids)}
    *_, memory_rows, found = await tx.run([*holding(memory_ids), Step(queries.FOUND_COMMITMENTS, asked)])
    memories = held(memory_rows, memory_ids, ledger)
    here = {row["id"]: row for row in found}
    by_memory = {row["memory_id"]: row["id"] for row in found}
    verdicts, new = [], []
    for record in records:
        row = here.get(record.id)
        verdict = _repeated(record, row) if row is not None else _fitting(record, memories, by_memory)
        if verdict is NEW:
            here[record.id] = record.model_dump()
            by_memory[record.memory_id] = record.id
            new.append(record)
        elif verdict.reason is not None:
            ledger.bar([record.id])
        verdicts.append(verdict)
    ledger.foresee((record.id, None) for record in new)
    return Plan(verdicts, [_insertion(new, call)] if new else [])


def _repeated(record: ImportedCommitment, here: Row) -> Verdict:
    if here["memory_id"] != record.memory_id:
        return skipped(SkipReason.CHANGED_HERE)
    is_same = all(here[name] == getattr(record, name) for name in _STATE)
    return SAME if is_same else skipped(SkipReason.CHANGED_HERE)


def _fitting(record: ImportedCommitment, memories: dict[UUID, Held], by_memory: dict[UUID, UUID]) -> Verdict:
    memory = memories.get(record.memory_id)
    if memory is None:
        return skipped(SkipReason.REFERS_TO_MISSING)
    if memory.memory_type is not MemoryType.COMMITMENT:
        return skipped(SkipReason.DOES_NOT_FIT)
    other_id = by_memory.get(record.memory_id)
    return NEW if other_id is None else skipped(SkipReason.DOES_NOT_FIT, other_id)


def _insertion(commitments: Sequence[ImportedCommitment], call: Call) -> Step:
    columns = {
        "ids": "id",
        "memory_ids": "memory_id",
        "statuses": "status",
        "owners": "owner",
        "due_ats": "due_at",
        "recurrences": "recurrence",
        "recurs_froms": "recurs_from",
        "next_surfacing_ats": "next_surfacing_at",
        "surfaced_ats": "surfaced_at",
        "resolved_ats": "resolved_at",
        "recorded_ats": "recorded_at",
        "updated_ats": "updated_at",
    }
    values = {name: [getattr(one, field) for one in commitments] for name, field in columns.items()}
    return Step(
        queries.IMPORT_COMMITMENTS, {**values, "statuses": [str(one.status) for one in commitments], "at": call.now}
    )


async def planned_occurrences(
    call: Call, tx: TenantTransaction, entries: Sequence[Entry[ImportedOccurrence]], ledger: Ledger
) -> Plan:
    """What becomes of each occurrence; none goes behind a commitment that has moved on here."""
    records = [entry.record for entry in entries]
    ids = [record.commitment_id for record in records]
    asked = {"commitment_ids": ids, "numbers": [record.occurrence_no for record in records]}
    _, known_rows, found = await tx.run(
        [Step(queries.ONE_AT_A_TIME), Step(queries.KNOWN_COMMITMENTS, asked), Step(queries.FOUND_OCCURRENCES, asked)]
    )
    known = {row["id"] for row in known_rows} | {one for one in ids if one in ledger.foreseen}
    here = {(row["commitment_id"], row["occurrence_no"]): row for row in found}
    verdicts, new = [], []
    for record in records:
        row = here.get((record.commitment_id, record.occurrence_no))
        if record.commitment_id not in known or record.commitment_id in ledger.barred:
            verdict = skipped(SkipReason.REFERS_TO_MISSING)
        elif row is not None:
            verdict = SAME if _is_same(record, row) else skipped(SkipReason.CHANGED_HERE)
        else:
            verdict = NEW
            here[record.commitment_id, record.occurrence_no] = {
                **record.model_dump(),
                "is_reopened": record.reopened_at is not None,
            }
            new.append(record)
        verdicts.append(verdict)
    return Plan(verdicts, [_insertion_behind(new, call)] if new else [])


def _is_same(record: ImportedOccurrence, here: Row) -> bool:
    is_reopened = record.reopened_at is not None
    return here["is_reopened"] == is_reopened and all(
        here[name] == getattr(record, name) for name in ("due_at", "status", "next_due_at")
    )


def _insertion_behind(occurrences: Sequence[ImportedOccurrence], call: Call) -> Step:
    return Step(
        queries.IMPORT_OCCURRENCES,
        {
            "commitment_ids": [one.commitment_id for one in occurrences],
            "numbers": [one.occurrence_no for one in occurrences],
            "due_ats": [one.due_at for one in occurrences],
            "statuses": [str(one.status) for one in occurrences],
            "next_due_ats": [one.next_due_at for one in occurrences],
            "recorded_ats": [one.recorded_at for one in occurrences],
            "reopened_ats": [one.reopened_at for one in occurrences],
            "at": call.now,
        },
    )
