"""Imports of lists of records, and exports in the form in which an imported account should equal the original."""

from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Any

import orjson

from tests.integration.core.exporting import Record, entitled, exported
from tests.people import Person
from threengram.core.call import Core, open_call
from threengram.core.ids import new_id
from threengram.core.imports import import_account
from threengram.schema.imports import ImportInput, ImportReport, SkipReason

OF_THE_IMPORT = {
    "export": {"exportedAt", "accountId", "accountName", "accountCreatedAt"},
    "memory": {"userId"},
    "memory_edge": {"createdBy", "recordedAt", "retractedAt"},
    "fact": {"changedAt"},
    "edge_proposal": {"rationale", "edgeId", "commitmentStatus"},
    "fact_proposal": {"rationale", "factId"},
}
"""What an import says in its own name."""

OF_A_NEW_ACCOUNT = {"personal", "work"}
"""Scopes that every account has, each its own."""

LEFT_OUT = {"user", "agent_session", "memory_lifetime", "memory_event", "fact_lifetime", "metered_usage", "end"}


def lines(records: Iterable[Record]) -> bytes:
    """The file of these records."""
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


async def taken(
    core: Core, person: Person, content: bytes, *, dry_run: bool = False, piece: int = 4_096
) -> ImportReport:
    """What an import of a file says, which comes in pieces."""

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(content), piece):
            yield content[start : start + piece]

    opened = partial(open_call, core, entitled(person).principal)
    return await import_account(opened, ImportInput(dry_run=dry_run), pieces())


async def imported(core: Core, person: Person, records: Iterable[Record], *, dry_run: bool = False) -> ImportReport:
    """What an import of these records says."""
    return await taken(core, person, lines(records), dry_run=dry_run)


def comparable(records: Iterable[Record]) -> list[Record]:
    """The records that an import brings, without what it says in its own name."""
    found = []
    for record in records:
        kind = record["record"]
        if kind in LEFT_OUT or (kind.endswith("_proposal") and record["reason"] not in ("declined", "undone")):
            continue
        kept = {name: value for name, value in record.items() if name not in OF_THE_IMPORT.get(kind, ())}
        if kind == "scope" and record["name"] in OF_A_NEW_ACCOUNT:
            kept = {"record": kind, "name": record["name"], "aliases": record["aliases"]}
        if kind == "memory_edge":
            kept["isRetracted"] = record["retractedAt"] is not None
        found.append(kept)
    return found


async def contents(core: Core, person: Person) -> list[Record]:
    """Everything about an account that does not depend on when it was looked at."""
    records = await exported(core, person)
    return [{name: value for name, value in record.items() if name != "exportedAt"} for record in records]


def outcomes(report: ImportReport) -> dict[str, tuple[int, int, int]]:
    """Imported, unchanged, skipped, by kind."""
    return {count.record: (count.imported, count.unchanged, count.skipped) for count in report.counts}


def reasons(report: ImportReport) -> list[tuple[str, SkipReason]]:
    """What was skipped, and why."""
    return [(skip.record, skip.reason) for skip in report.skips]


AT = "2026-01-05T10:00:00Z"


def a_memory(**fields: Any) -> Record:
    """A live note."""
    return {
        "record": "memory", "memoryType": "note", "topic": "a topic", "content": "from elsewhere", "scope": "personal",
        "project": None, "tags": [], "status": "active", "validFrom": AT, "validTo": None, "recordedAt": AT,
        "touchedAt": AT, **fields,
    }  # fmt: skip


def a_fact(**fields: Any) -> Record:
    """An open claim."""
    return {
        "record": "fact", "subject": "lift", "predicate": "kg", "value": "97", "confidence": None, "status": "active",
        "validFrom": AT, "validTo": None, "recordedAt": AT, **fields,
    }  # fmt: skip


def an_edge(**fields: Any) -> Record:
    """A supersession."""
    return {"record": "memory_edge", "edgeType": "supersedes", "recordedAt": AT, "retractedAt": None, **fields}


def a_commitment(**fields: Any) -> Record:
    """An open promise, once and without a date."""
    dates = ("dueAt", "recursFrom", "nextSurfacingAt", "surfacedAt", "resolvedAt")
    return {
        "record": "commitment", "status": "open", "owner": None, "recurrence": None, "recordedAt": AT, "updatedAt": AT,
        **dict.fromkeys(dates), **fields,
    }  # fmt: skip


def a_scope(name: str, *aliases: str) -> Record:
    """A registered scope."""
    return {"record": "scope", "id": str(new_id()), "name": name, "aliases": list(aliases), "createdAt": AT}


def an_export(*records: Record) -> list[Record]:
    """A whole file around these records."""
    begin = {"record": "export", "format": "threengram.export", "version": 1, "accountId": str(new_id())}
    counts = {"export": 1, "end": 1}
    for record in records:
        counts[record["record"]] = counts.get(record["record"], 0) + 1
    return [begin, *records, {"record": "end", "counts": counts}]
