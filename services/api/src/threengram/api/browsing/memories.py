"""`/memories`: everything that is stored, newest first, or what a search finds."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from threengram.api.browsing.addresses import Addresses, cursor_of
from threengram.api.browsing.fields import Problems, Unacceptable
from threengram.api.browsing.filters import LIMITS, Filters
from threengram.api.browsing.results import Found, listed, searched
from threengram.api.pages import see_other
from threengram.api.visits import Visit, Visits, sentence
from threengram.core.browse import list_facets, list_memories
from threengram.core.errors import InvalidCursor, InvalidRequest
from threengram.core.search import search
from threengram.core.time.clock import Clock
from threengram.schema import bounds
from threengram.schema.browse import ListFacetsInput
from threengram.schema.enums import MemoryType
from threengram.schema.instants import format_instant

MEMORIES_PATH: Final = "/memories"
_BOUNDS: Final = {
    "query": bounds.MAX_QUERY_CHARS,
    "project": bounds.MAX_PROJECT_CHARS,
    "scope": bounds.MAX_SCOPE_CHARS,
    "tag": bounds.MAX_TAG_CHARS,
}


class MemoriesPage:
    """The page and its form."""

    def __init__(self, addresses: Addresses, clock: Clock) -> None:
        self._addresses = addresses
        self._clock = clock

    def routes(self, visits: Visits) -> list[Route]:
        """GET shows, POST asks."""
        return [visits.page(MEMORIES_PATH, self._show), visits.form(MEMORIES_PATH, self._ask, back=MEMORIES_PATH)]

    def link(self, visit: Visit, filters: Filters, cursor: str | None = None) -> str:
        """The address of what is found by these fields."""
        return self._addresses.of(visit, MEMORIES_PATH, asdict(filters), cursor)

    async def _ask(self, visit: Visit) -> Response:
        filters = Filters.of(visit.form).unpinned
        try:
            filters.require_usable()
        except Unacceptable as error:
            return await self._page(visit, filters, problems=error.problems)
        return see_other(self.link(visit, filters))

    async def _show(self, visit: Visit) -> Response:
        filters, cursor = Filters.of(self._addresses.fields(visit)), cursor_of(visit)
        try:
            found, filters = await self._found(visit, filters, cursor)
        except Unacceptable as error:
            return await self._page(visit, filters, problems=error.problems)
        except InvalidCursor:
            return see_other(self.link(visit, filters))
        except InvalidRequest as error:
            return await self._page(visit, filters, problems={error.field or "": sentence(str(error))})
        return await self._page(visit, filters, found, is_continued=cursor is not None)

    async def _found(self, visit: Visit, filters: Filters, cursor: str | None) -> tuple[Found, Filters]:
        if not filters.is_search:
            return listed(await visit.run(list_memories, filters.listing(cursor))), filters
        pinned = filters.pinned_at(format_instant(self._clock()))
        return searched(await visit.run(search, pinned.search(cursor))), pinned

    async def _page(
        self,
        visit: Visit,
        filters: Filters,
        found: Found | None = None,
        *,
        problems: Problems | None = None,
        is_continued: bool = False,
    ) -> Response:
        names = await visit.run(list_facets, ListFacetsInput())
        next_page = None
        if found is not None and found.cursor is not None:
            next_page = self.link(visit, filters, found.cursor)
        context: Mapping[str, Any] = {
            "filters": filters,
            "found": found,
            "problems": problems or {},
            "next_page": next_page,
            "first_page": self.link(visit, filters.unpinned) if is_continued else None,
            "types": [(str(one), one.capitalize()) for one in MemoryType],
            "limits": [(str(limit), str(limit)) for limit in LIMITS],
            "bounds": _BOUNDS,
            "names": names,
        }
        return visit.render("memories.html", context, 400 if problems else 200)
