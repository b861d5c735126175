"""What a person asks the page of memories for: the fields of its form, and the verb's arguments that they stand for.

Without words and without a point in time the page lists (`list_memories`); otherwise it searches, which alone knows
relevance and the past.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final, Self

from threengram.api.browsing.fields import Unacceptable, arguments, end_of, instant_of, start_of
from threengram.schema.browse import ListingStatus, ListMemoriesInput
from threengram.schema.enums import MemoryStatus
from threengram.schema.search import Projection, SearchInput, SearchOrder

LIMITS: Final = (5, 10, 25)
"""How many results a page may have; the first is the default."""

_NAMES: Final = {
    "query": "query",
    "memoryTypes[0]": "type",
    "scope": "scope",
    "project": "project",
    "project[0]": "project",
    "tag": "tag",
    "status": "status",
    "recordedAfter": "since",
    "recordedBefore": "until",
    "asOf.validAt": "as_of",
    "asOf.asKnownAt": "as_of",
    "order": "order",
}


@dataclass(frozen=True, slots=True)
class Filters:
    """The fields as they were filled in; empty ones are empty.

    `pinned` is no field of the form: see `pinned_at`.
    """

    query: str = ""
    type: str = ""
    scope: str = ""
    project: str = ""
    tag: str = ""
    status: str = ""
    since: str = ""
    until: str = ""
    as_of: str = ""
    order: str = ""
    limit: str = ""
    pinned: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Self:
        """The fields that are known here, without outer white space."""
        return cls(**{one.name: given.get(one.name, "").strip() for one in fields(cls)})

    @property
    def is_search(self) -> bool:
        """Whether only a search can answer."""
        return bool(self.query or self.as_of)

    @property
    def narrows(self) -> bool:
        """Whether anything but the number of results was chosen."""
        return replace(self, limit="") != Filters()

    @property
    def is_filtered(self) -> bool:
        """Whether anything but words and the number of results was chosen."""
        return replace(self, query="", limit="") != Filters()

    @property
    def shown(self) -> int:
        """How many results a page has; raises `Unacceptable`."""
        if self.limit in ("", *map(str, LIMITS)):
            return int(self.limit or LIMITS[0])
        raise Unacceptable({"limit": "Choose one of the list."})

    def require_usable(self) -> None:
        """Raise `Unacceptable` unless the fields make sense together."""
        if self.is_search:
            self.search(None)
        else:
            self.listing(None)

    @property
    def unpinned(self) -> Self:
        """The same as of now."""
        return replace(self, pinned="")

    def pinned_at(self, now: str) -> Self:
        """The same as of `now`, where only a point in time reaches archived and superseded memories too.

        That is so for a search over everything; its later pages stay at the instant of the first.
        """
        if self.status != ListingStatus.ALL or self.as_of or self.pinned:
            return self
        return replace(self, pinned=now)

    def listing(self, cursor: str | None) -> ListMemoriesInput:
        """The arguments of a list; raises `Unacceptable`."""
        given = {
            "memoryTypes": [self.type] if self.type else None,
            "scope": self.scope or None,
            "project": [self.project] if self.project else None,
            "tag": self.tag or None,
            "status": self.status or None,
            "recordedAfter": start_of(self.since),
            "recordedBefore": end_of(self.until),
            "limit": self.shown,
            "projection": Projection.FULL,
            "cursor": cursor,
        }
        return arguments(ListMemoriesInput, given, _NAMES)

    def search(self, cursor: str | None) -> SearchInput:
        """The arguments of a search; raises `Unacceptable`."""
        if self.tag:
            raise Unacceptable({"tag": "Tags narrow a list; leave words and point in time empty."})
        given = {
            "query": self.query or None,
            "memoryTypes": [self.type] if self.type else None,
            "scope": self.scope or None,
            "project": self.project or None,
            "status": self._searched_status(),
            "asOf": self._as_of(),
            "recordedAfter": start_of(self.since),
            "recordedBefore": end_of(self.until),
            "order": (self.order or SearchOrder.RELEVANCE) if self.query else SearchOrder.CHRONOLOGICAL,
            "limit": self.shown,
            "cursor": cursor,
        }
        return arguments(SearchInput, given, _NAMES)

    def _searched_status(self) -> str | None:
        if self.status == ListingStatus.SUPERSEDED:
            raise Unacceptable({"status": "Superseded ones alone can be listed; leave words and point in time empty."})
        if self.status == ListingStatus.ALL:
            return None
        return self.status or MemoryStatus.ACTIVE

    def _as_of(self) -> Mapping[str, str | None] | None:
        """What was believed then: valid at that time by what was known at that time."""
        if self.as_of:
            return dict.fromkeys(("validAt", "asKnownAt"), instant_of(self.as_of))
        return {"asKnownAt": self.pinned} if self.pinned else None
