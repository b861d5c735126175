"""An answer of many records, one JSON object a line, read while it arrives."""

from typing import Final

from pydantic import TypeAdapter, ValidationError

from threengram.schema.export import EXPORT_RECORDS, ExportEnds, ExportRecord, kind_of
from threengram.schema.reading import read
from threengram.sdk.answers import unreadable
from threengram.sdk.errors import UnreadableAnswer

MAX_LINE_BYTES: Final = 8 * 1024 * 1024
"""More than the longest memory takes."""

_ANY: Final = TypeAdapter(ExportRecord)
_KNOWN: Final = {kind_of(record): TypeAdapter[ExportRecord](record) for record in EXPORT_RECORDS}


class Lines:
    """Cuts a stream at its line feeds, and at nothing else that Unicode calls the end of a line."""

    def __init__(self) -> None:
        self._rest = b""

    def cut(self, piece: bytes) -> list[bytes]:
        """The lines that `piece` ends; raises `UnreadableAnswer` for one that has no end."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > MAX_LINE_BYTES:
            raise UnreadableAnswer(f"a line of the answer is longer than {MAX_LINE_BYTES} bytes")
        return lines


def record_of(line: bytes) -> ExportRecord:
    """One record of an export, of a class of its own if this release knows its kind. Raises `UnreadableAnswer`."""
    try:
        form = _KNOWN.get(read(_ANY, line).record, _ANY)
        return read(form, line)
    except ValidationError as error:
        raise unreadable("a record of the export", error) from None


def is_end(record: ExportRecord) -> bool:
    """Whether it is the last one; an export without it was cut off."""
    return isinstance(record, ExportEnds)
