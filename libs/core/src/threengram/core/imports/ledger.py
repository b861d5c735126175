"""What is known about a file while it is read: what came of its records so far, in memory that is bounded."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar
from uuid import UUID

from threengram.core.db.statement import Step
from threengram.core.errors import LimitReached
from threengram.schema.bounds import MAX_IMPORT_SKIPS
from threengram.schema.enums import MemoryType
from threengram.schema.import_records import ImportRecord
from threengram.schema.imports import ImportCount, ImportOutcome, ImportReport, SkippedRecord, SkipReason

MAX_BARRED: Final = 50_000
MAX_FORESEEN: Final = 100_000
"""Ids that a run keeps in mind, at about 150 bytes each: those on which nothing may be hung, those of a dry run."""

Rec = TypeVar("Rec", bound=ImportRecord, covariant=True)


@dataclass(frozen=True, slots=True)
class Entry(Generic[Rec]):
    """A record and the line that it stands on."""

    line: int
    record: Rec

    @property
    def id(self) -> UUID | None:
        """Its id, where its kind has one."""
        return getattr(self.record, "id", None)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a record; `other_id` is what is in its way."""

    outcome: ImportOutcome
    reason: SkipReason | None = None
    other_id: UUID | None = None


NEW: Final = Verdict(ImportOutcome.IMPORTED)
SAME: Final = Verdict(ImportOutcome.UNCHANGED)


def skipped(reason: SkipReason, other_id: UUID | None = None) -> Verdict:
    """Not taken in, and why."""
    return Verdict(ImportOutcome.SKIPPED, reason, other_id)


@dataclass(frozen=True, slots=True)
class Plan:
    """A verdict for each entry of a batch, in its order, and the steps that carry them out."""

    verdicts: Sequence[Verdict]
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class Held:
    """As much of a memory as decides what may be hung on it."""

    memory_type: MemoryType
    is_ended: bool
    is_live: bool


@dataclass(slots=True)
class Ledger:
    """One run. A dry run keeps in mind what it would have written, since the rows are not there to be asked."""

    dry_run: bool
    is_audited: bool = False
    is_complete: bool = False
    lines: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    barred: set[UUID] = field(default_factory=set)
    foreseen: dict[UUID, Held | None] = field(default_factory=dict)
    foreseen_live: dict[bytes, UUID] = field(default_factory=dict)
    _counts: Counter[tuple[str, ImportOutcome]] = field(default_factory=Counter)
    _skips: list[SkippedRecord] = field(default_factory=list)

    def note(self, entries: Sequence[Entry[ImportRecord]], verdicts: Sequence[Verdict]) -> None:
        """Count what became of a batch."""
        for entry, verdict in zip(entries, verdicts, strict=True):
            kind = entry.record.record
            self._counts[kind, verdict.outcome] += 1
            if verdict.reason is not None and len(self._skips) < MAX_IMPORT_SKIPS:
                self._skips.append(
                    SkippedRecord(
                        line=entry.line, record=kind, reason=verdict.reason, id=entry.id, other_id=verdict.other_id
                    )
                )

    def bar(self, ids: Iterable[UUID]) -> None:
        """Hang nothing on these: what has their id here is not what the file means, or no longer."""
        self.barred.update(ids)
        if len(self.barred) > MAX_BARRED:
            raise LimitReached(f"more than {MAX_BARRED} records of the file are here with other contents")

    def foresee(self, ids: Iterable[tuple[UUID, Held | None]], live: Iterable[tuple[bytes, UUID]] = ()) -> None:
        """Keep in mind what a dry run would have written."""
        if self.dry_run:
            self.foreseen.update(ids)
            self.foreseen_live.update(live)
            if len(self.foreseen) > MAX_FORESEEN:
                raise LimitReached(
                    f"a dry run looks ahead over {MAX_FORESEEN} new records and no more; import the file"
                )

    def report(self) -> ImportReport:
        """The account of the run so far."""
        kinds = dict.fromkeys(kind for kind, _ in self._counts)
        return ImportReport(
            dry_run=self.dry_run,
            is_complete=self.is_complete,
            lines=self.lines,
            counts=[
                ImportCount(
                    record=kind,
                    imported=self._counts[kind, ImportOutcome.IMPORTED],
                    unchanged=self._counts[kind, ImportOutcome.UNCHANGED],
                    skipped=self._counts[kind, ImportOutcome.SKIPPED],
                )
                for kind in kinds
            ],
            left_out=dict(self.left_out),
            skips=list(self._skips),
        )
