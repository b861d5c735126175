"""A stream of bytes as lines with their numbers, each within a bound."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from threengram.core.errors import InvalidLine
from threengram.schema.bounds import MAX_IMPORT_LINE_BYTES
from threengram.schema.errors import Issue


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; `is_ended` is False for what stands after the last line feed."""

    number: int
    text: bytes
    is_ended: bool = True


async def lines_of(pieces: AsyncIterator[bytes]) -> AsyncIterator[Line]:
    """The lines that are not blank, numbered from 1 on; raises `InvalidLine` for one that is too long."""
    number, rest = 0, bytearray()
    async for piece in pieces:
        rest += piece
        if b"\n" in piece:
            *ended, tail = bytes(rest).split(b"\n")
            rest = bytearray(tail)
            for text in ended:
                number += 1
                _check_length(number, text)
                if text.strip():
                    yield Line(number, text)
        _check_length(number + 1, rest)
    if rest.strip():
        yield Line(number + 1, bytes(rest), is_ended=False)


def _check_length(number: int, text: bytes | bytearray) -> None:
    if len(text) > MAX_IMPORT_LINE_BYTES:
        message = f"A line is at most {MAX_IMPORT_LINE_BYTES} bytes long"
        raise InvalidLine(number, [Issue("", "line_too_long", message)])
