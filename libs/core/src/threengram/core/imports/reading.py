"""The lines of a file as batches of records of one kind, checked by themselves; no look at what is here already."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Final

from pydantic import ValidationError

from threengram.core.commitments import recurrence
from threengram.core.errors import InvalidLine, InvalidRequest
from threengram.core.imports.ledger import Entry, Ledger
from threengram.core.imports.lines import Line
from threengram.schema.enums import REMEMBERED_REJECTIONS
from threengram.schema.errors import Issue, issues_of
from threengram.schema.export import EXPORT_RECORDS, kind_of
from threengram.schema.import_records import (
    ImportBegins,
    ImportedCommitment,
    ImportedConsolidation,
    ImportedEdge,
    ImportedEdgeProposal,
    ImportedFact,
    ImportedFactProposal,
    ImportedMapping,
    ImportedMemory,
    ImportedOccurrence,
    ImportedRetrievalPolicy,
    ImportedScope,
    ImportEnds,
    ImportRecord,
    Tagged,
    import_record_of,
)

Batch = list[Entry[ImportRecord]]

REGISTRY: Final = (ImportedScope, ImportedMapping, ImportedRetrievalPolicy, ImportedConsolidation)
PROPOSALS: Final = (ImportedEdgeProposal, ImportedFactProposal)
_FAMILY: Final[dict[type[ImportRecord], str]] = {
    **dict.fromkeys(REGISTRY, "registry"),
    ImportedMemory: "memories",
    ImportedEdge: "edges",
    ImportedFact: "facts",
    ImportedCommitment: "commitments",
    ImportedOccurrence: "occurrences",
    **dict.fromkeys(PROPOSALS, "proposals"),
}
_MAX_ROWS: Final = {"memories": 64, "registry": 1_024}
_MAX_ROWS_OF_OTHERS: Final = 256
MAX_BATCH_CHARS: Final = 65_536
"""Of contents; the memory that passes it is the last one of its batch."""

_KNOWN: Final = frozenset(kind_of(record) for record in EXPORT_RECORDS)
_OTHER: Final = "unknown"
_NO_JSON: Final = "Not a JSON object in UTF-8"


def family_of(batch: Batch) -> str:
    """By which of the planners a batch is read."""
    return _FAMILY[type(batch[0].record)]


async def batches(lines: AsyncIterator[Line], ledger: Ledger) -> AsyncIterator[Batch]:
    """Neighbouring records of one family, bounded in number and size.

    Raises `InvalidLine` after everything before that line was given out. A last line that has neither an end nor a
    meaning was cut off, and is passed over.
    """
    batch: Batch = []
    reader = _Reader(ledger)
    try:
        async for line in lines:
            entry = reader.read(line)
            if entry is None:
                continue
            if batch and (family_of(batch) != family_of([entry]) or _is_full(batch)):
                yield batch
                batch = []
            batch.append(entry)
    except InvalidLine:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
    reader.end()


def _is_full(batch: Batch) -> bool:
    chars = sum(len(entry.record.content) for entry in batch if isinstance(entry.record, ImportedMemory))
    return len(batch) >= _MAX_ROWS.get(family_of(batch), _MAX_ROWS_OF_OTHERS) or chars >= MAX_BATCH_CHARS


class _Reader:
    """Reads one line after the other; knows what has to stand first and last."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen: Counter[str] = Counter()
        self._end: ImportEnds | None = None

    def read(self, line: Line) -> Entry[ImportRecord] | None:
        """The record, or None for one that is not brought in; raises `InvalidLine`."""
        if self._end is not None:
            raise InvalidLine(line.number, [Issue("", "after_end", "Something stands after the line `end`")])
        try:
            record = _checked(line)
        except InvalidLine:
            if line.is_ended:
                raise
            return None
        if (not self._seen) != isinstance(record, ImportBegins):
            message = "The first line, and no other, has to be the record `export`"
            raise InvalidLine(line.number, [Issue("record", "not_an_export", message)])
        self._ledger.lines += 1
        self._seen[record.record if record.record in _KNOWN else _OTHER] += 1
        match record:
            case ImportEnds():
                self._end = record
            case ImportBegins():
                pass
            case ImportedEdgeProposal() | ImportedFactProposal() if record.reason in REMEMBERED_REJECTIONS:
                return Entry(line.number, record)
            case Tagged() | ImportedEdgeProposal() | ImportedFactProposal():
                self._ledger.left_out[record.record if record.record in _KNOWN else _OTHER] += 1
            case _:
                return Entry(line.number, record)
        return None

    def end(self) -> None:
        """Say whether the file was whole: every line there that the last one had counted."""
        if not self._seen:
            raise InvalidLine(1, [Issue("", "not_an_export", "There is no line at all")])
        if self._end is not None:
            counted: Counter[str] = Counter()
            for kind, count in self._end.counts.items():
                counted[kind if kind in _KNOWN else _OTHER] += count
            self._ledger.is_complete = +counted == self._seen


def _checked(line: Line) -> ImportRecord:
    try:
        record = import_record_of(line.text)
    except ValidationError as error:
        issues = [
            Issue(issue.path, issue.code, _NO_JSON if issue.code == "json_invalid" else issue.message)
            for issue in issues_of(error)
        ]
        raise InvalidLine(line.number, issues) from None
    if isinstance(record, ImportedCommitment) and record.recurrence is not None:
        try:
            recurrence.parsed(record.recurrence)
        except InvalidRequest as error:
            raise InvalidLine(line.number, [Issue("recurrence", "recurrence", str(error))]) from None
    return record
