"""Conversations as memories: sessions of turns, cut by one pinned rule, and questions that name their sessions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from threengram.schema.bounds import MAX_CONTENT_CHARS

CHUNK_CHARS = 1_000
OVERLAP_TURNS = 1
_LONGEST_LINE_CHARS = MAX_CONTENT_CHARS - 2


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation: `lines` in the order they were said, each with its speaker in front."""

    id: str
    topic: str
    lines: Sequence[str]
    at: datetime


@dataclass(frozen=True, slots=True)
class SessionQuestion:
    """A question and the sessions that hold its evidence."""

    id: str
    query: str
    gold: frozenset[str]
    category: str


@dataclass(frozen=True, slots=True)
class Haystack:
    """One tenant of sessions; only its own sessions compete for its questions."""

    name: str
    sessions: Sequence[Session]
    questions: Sequence[SessionQuestion]


@dataclass(frozen=True, slots=True)
class Chunk:
    """An event memory made of a part of a session."""

    session_id: str
    topic: str
    content: str
    at: datetime


def chunks(session: Session) -> list[Chunk]:
    """The pinned rule: whole turns, in order, until the next would pass `CHUNK_CHARS`; the last turn is said again at
    the start of the next chunk. A longer turn is a chunk of its own; one that no memory can hold is cut at a blank.
    """
    parts: list[list[str]] = []
    held: list[str] = []
    fresh = 0
    for line in (piece for said in session.lines for piece in _pieces(said)):
        if fresh and _chars([*held, line]) > CHUNK_CHARS:
            parts.append(held)
            held, fresh = held[-OVERLAP_TURNS:], 0
            if _chars([*held, line]) > MAX_CONTENT_CHARS:
                held = []
        held = [*held, line]
        fresh += 1
    if fresh:
        parts.append(held)
    return [Chunk(session.id, session.topic, "\n".join(part), session.at) for part in parts]


def _chars(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _pieces(line: str) -> list[str]:
    line = line.strip()
    found = []
    while len(line) > _LONGEST_LINE_CHARS:
        cut = line.rfind(" ", 1, _LONGEST_LINE_CHARS)
        cut = cut if cut > 0 else _LONGEST_LINE_CHARS
        found.append(line[:cut])
        line = line[cut:].strip()
    return [*found, line] if line else found


def utc(text: str, layout: str) -> datetime:
    """An instant of a file that names no zone."""
    return datetime.strptime(text, layout).replace(tzinfo=UTC)
