"""Valid documents of this process, until they expire or others need the room."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from threengram.schema.oauth import ResolveResponse


@dataclass(frozen=True, slots=True)
class _Entry:
    resolved: ResolveResponse
    size_bytes: int


class DocumentCache:
    """Least recently used goes first. Bounded in entries and in bytes of the documents as they were fetched."""

    def __init__(self, *, max_entries: int, max_bytes: int) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._size_bytes = 0

    @property
    def size_bytes(self) -> int:
        """Bytes of all documents in it."""
        return self._size_bytes

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, url: str, now: datetime) -> ResolveResponse | None:
        """The document of a URL while it is fresh."""
        entry = self._entries.get(url)
        if entry is None:
            return None
        if now >= entry.resolved.expires_at:
            self._drop(url)
            return None
        self._entries.move_to_end(url)
        return entry.resolved

    def put(self, url: str, resolved: ResolveResponse, size_bytes: int) -> None:
        """Keep a document in place of the one before, unless it expires at once or is larger than all the room."""
        self._drop(url)
        if resolved.expires_at <= resolved.fetched_at or size_bytes > self._max_bytes:
            return
        self._entries[url] = _Entry(resolved, size_bytes)
        self._size_bytes += size_bytes
        while len(self._entries) > self._max_entries or self._size_bytes > self._max_bytes:
            self._drop(next(iter(self._entries)))

    def _drop(self, url: str) -> None:
        entry = self._entries.pop(url, None)
        if entry is not None:
            self._size_bytes -= entry.size_bytes
