"""Memories of a file: each with its row, its lifetime, postings, a job for its vectors and the event that it came.

What this installation knew begins with the import: the lifetime goes on record now, whatever the file says. By
`recorded_at` a memory is listed and looks old; it is that of its first recording, and never later than now.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.types.json import Jsonb

from threengram.core.call import Call
from threengram.core.db.database import TenantTransaction
from threengram.core.db.statement import Row, Step
from threengram.core.embeddings.store import enqueueing
from threengram.core.ids import new_id
from threengram.core.imports import queries
from threengram.core.imports.ledger import NEW, SAME, Entry, Held, Ledger, Plan, Verdict, skipped
from threengram.core.lexical.analyser import Term, document_terms
from threengram.core.memories.append import content_hash
from threengram.core.scopes.queries import FILING
from threengram.schema.enums import MemoryType
from threengram.schema.import_records import ImportedMemory
from threengram.schema.imports import SkipReason
from threengram.schema.instants import format_instant

_NAMES = ("memory_type", "topic", "content_hash", "project", "tags")
"""What never changes about a memory, so that it says whether two of one id are the same."""


@dataclass(slots=True)
class _Filed:
    """What is here: rows by id, and for each entry the scope and the live memory that says the same."""

    by_id: dict[UUID, Row]
    places: Sequence[Row]


async def planned(call: Call, tx: TenantTransaction, entries: Sequence[Entry[ImportedMemory]], ledger: Ledger) -> Plan:
    """What becomes of each memory. The registry of scopes is held until the end of the unit of work."""
    hashes = [content_hash(entry.record.content) for entry in entries]
    filed = await _read(tx, entries, hashes)
    live: dict[bytes, UUID] = {}
    dfs: Counter[int] = Counter()
    verdicts, steps = [], []
    for entry, digest, place in zip(entries, hashes, filed.places, strict=True):
        row = _row(entry.record, digest, place["scope"])
        twin_id = place["twin_id"] or live.get(_key(row)) or ledger.foreseen_live.get(_key(row))
        verdict = _verdict(row, filed.by_id.get(entry.record.id), twin_id)
        if entry.record.id in ledger.foreseen:
            verdict = SAME
        if verdict is NEW:
            filed.by_id[entry.record.id] = row
            if entry.record.is_live:
                live[_key(row)] = entry.record.id
            terms = document_terms(entry.record.topic, entry.record.content)
            dfs.update(term.key for term in terms)
            steps += _writing(call, entry, row, terms)
        if verdict.reason in (SkipReason.ID_TAKEN, SkipReason.CHANGED_HERE):
            ledger.bar([entry.record.id])
        verdicts.append(verdict)
    if dfs:
        steps.append(Step(queries.COUNT_TERMS, {"terms": list(dfs), "dfs": list(dfs.values())}))
    new = [entry.record for entry, verdict in zip(entries, verdicts, strict=True) if verdict is NEW]
    ledger.foresee(((record.id, _held(record)) for record in new), live.items())
    return Plan(verdicts, steps)


async def _read(tx: TenantTransaction, entries: Sequence[Entry[ImportedMemory]], hashes: list[bytes]) -> _Filed:
    records = [entry.record for entry in entries]
    asked = {
        "hashes": hashes,
        "types": [str(record.memory_type) for record in records],
        "labels": [record.scope for record in records],
        "projects": [record.project for record in records],
    }
    *_, found, places = await tx.run(
        [
            Step(queries.ONE_AT_A_TIME),
            Step(FILING),
            Step(queries.FOUND_MEMORIES, {"ids": [record.id for record in records]}),
            Step(queries.FILED, asked),
        ]
    )
    return _Filed({row["id"]: row for row in found}, places)


def _row(record: ImportedMemory, digest: bytes, scope: str) -> Row:
    return {
        "id": record.id,
        "memory_type": str(record.memory_type),
        "topic": record.topic,
        "content_hash": digest,
        "scope": scope,
        "project": record.project,
        "tags": list(record.tags),
        "status": str(record.status),
        "valid_from": record.valid_from,
        "valid_to": record.valid_to,
        "is_live": record.is_live,
    }


def _verdict(row: Row, here: Row | None, twin_id: UUID | None) -> Verdict:
    if here is not None:
        if any(here[name] != row[name] for name in _NAMES):
            return skipped(SkipReason.ID_TAKEN)
        is_same = all(here[name] == row[name] for name in ("scope", "status", "valid_from", "valid_to"))
        return SAME if is_same else skipped(SkipReason.CHANGED_HERE)
    return skipped(SkipReason.DUPLICATE, twin_id) if row["is_live"] and twin_id is not None else NEW


def _key(row: Row) -> bytes:
    """What only one live memory may have, in 32 bytes."""
    parts = (row["content_hash"].hex(), row["memory_type"], row["scope"], row["project"])
    return hashlib.sha256(repr(parts).encode()).digest()


def _held(record: ImportedMemory) -> Held:
    return Held(MemoryType(record.memory_type), is_ended=record.valid_to is not None, is_live=record.is_live)


def _writing(call: Call, entry: Entry[ImportedMemory], row: Row, terms: Sequence[Term]) -> list[Step]:
    record = entry.record
    stored = {name: value for name, value in row.items() if name not in ("id", "is_live")} | {
        "memory_id": record.id,
        "event_id": new_id(),
        "user_id": call.principal.user_id,
        "content": record.content,
        "content_chars": len(record.content),
        "recorded_at": min(record.recorded_at, call.now),
        "touched_at": min(record.touched_at, call.now),
        "details": Jsonb({"recordedAt": format_instant(record.recorded_at)}),
        "at": call.now,
    }
    traceparent = call.core.database.observer.traceparent()
    return [
        Step(queries.IMPORT_MEMORY, stored),
        Step(queries.POST_TERMS, {"terms": [one.key for one in terms], "weights": [one.weight for one in terms]}),
        enqueueing(record.id, complete_model_id=None, traceparent=traceparent, now=call.now),
    ]
