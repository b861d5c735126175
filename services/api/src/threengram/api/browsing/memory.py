"""`/memories/{id}`: one memory, what became of it, and what can be done with it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from uuid import UUID

from starlette.responses import Response
from starlette.routing import Route

from threengram.api.browsing.chain import connections, versions
from threengram.api.browsing.fields import Unacceptable, arguments
from threengram.api.browsing.filters import Filters
from threengram.api.browsing.memories import MEMORIES_PATH, MemoriesPage
from threengram.api.browsing.moves import LABELS, moves
from threengram.api.failures import status_of
from threengram.api.pages import see_other
from threengram.api.visits import Visit, Visited, Visits, sentence
from threengram.core.browse import history, memory_details
from threengram.core.commitments import resolve
from threengram.core.errors import Conflict, InvalidRequest, NotFound
from threengram.core.memories import archive, get_memory, unarchive
from threengram.core.time.clock import Clock
from threengram.schema.browse import HistoryInput, ListingStatus, MemoryDetailsInput
from threengram.schema.commitments import ResolveInput
from threengram.schema.identifiers import parse_id
from threengram.schema.memories import GetMemoryInput, MemoryRead
from threengram.schema.revisions import ArchiveInput

MEMORY_PATH: Final = f"{MEMORIES_PATH}/{{id}}"
SHOWN_CHARS: Final = 20_000
"""Code points of a text that a page shows unasked; an imported one may have thirteen times as many."""
WHOLE: Final = "all"

DONE: Final = {
    "corrected": "Corrected. This is the new version; the former one stays readable below.",
    "postponed": "Postponed. This is the new version; the former one stays readable below.",
    "archived": "Archived. It is left out of briefings and of searches that do not ask for it.",
    "unarchived": "It is in use again.",
    "moved": "Its status was changed.",
}
"""What the page says after a change, by the value of `done` in its address."""

Action = Callable[[Visit, UUID], Awaitable[str]]
"""Does something and says what, by a key of `DONE`."""


class MemoryPage:
    """The page and its buttons; `memories` makes links to what is found by scope, project and tag."""

    def __init__(self, memories: MemoriesPage, clock: Clock) -> None:
        self._memories = memories
        self._clock = clock

    def routes(self, visits: Visits) -> list[Route]:
        """The page, and one route a button."""
        actions: Mapping[str, Action] = {"archive": _archive, "unarchive": _unarchive, "status": _move}
        return [
            visits.page(MEMORY_PATH, self._show),
            *(
                visits.form(f"{MEMORY_PATH}/{name}", self._acting(action), back=MEMORIES_PATH)
                for name, action in actions.items()
            ),
        ]

    async def _show(self, visit: Visit) -> Response:
        return await self._page(visit, memory_id_of(visit), done=DONE.get(visit.request.query_params.get("done", "")))

    def _acting(self, action: Action) -> Visited:
        async def act(visit: Visit) -> Response:
            memory_id = memory_id_of(visit)
            try:
                return done(memory_id, await action(visit, memory_id))
            except (Conflict, InvalidRequest) as error:
                return await self._page(visit, memory_id, status_of(error), problem=sentence(str(error)))

        return act

    async def _page(
        self,
        visit: Visit,
        memory_id: UUID,
        status_code: int = 200,
        *,
        done: str | None = None,
        problem: str | None = None,
    ) -> Response:
        memory = await visit.run(get_memory, GetMemoryInput(id=memory_id))
        details = await visit.run(memory_details, MemoryDetailsInput(id=memory_id))
        past = await visit.run(history, HistoryInput(id=memory_id))
        is_whole = visit.request.query_params.get("text") == WHOLE or memory.content_length <= SHOWN_CHARS
        context: dict[str, Any] = {
            "memory": memory,
            "text": memory.content if is_whole else memory.content[:SHOWN_CHARS],
            "is_whole": is_whole,
            "details": details,
            "history": past,
            "versions": versions(past),
            "connections": connections(past),
            "moves": moves(memory, details),
            "labels": LABELS,
            "links": self._links(visit, memory),
            "now": self._clock(),
            "done": done,
            "problem": problem,
        }
        return visit.render("memory.html", context, status_code)

    def _links(self, visit: Visit, memory: MemoryRead) -> Mapping[str, Any]:
        """Where to find what is filed alike."""
        status = str(ListingStatus.ALL)
        return {
            "scope": self._memories.link(visit, Filters(scope=memory.scope)),
            "project": self._memories.link(visit, Filters(project=memory.project or "")),
            "tags": [(tag, self._memories.link(visit, Filters(tag=tag, status=status))) for tag in memory.tags],
        }


async def _archive(visit: Visit, memory_id: UUID) -> str:
    await visit.run(archive, ArchiveInput(memory_id=memory_id))
    return "archived"


async def _unarchive(visit: Visit, memory_id: UUID) -> str:
    await visit.run(unarchive, ArchiveInput(memory_id=memory_id))
    return "unarchived"


async def _move(visit: Visit, memory_id: UUID) -> str:
    """`due` names the occurrence of a recurring commitment, so that a click twice does not settle the next one."""
    given = {
        "memoryId": str(memory_id),
        "status": visit.form.get("status", ""),
        "dueAt": visit.form.get("due") or None,
    }
    try:
        request = arguments(ResolveInput, given, {})
    except Unacceptable:
        raise InvalidRequest("this is no status that it can take", field="status") from None
    await visit.run(resolve, request)
    return "moved"


def memory_id_of(visit: Visit) -> UUID:
    """The id in the path; raises `NotFound` for what can't be one, as for one that is unknown or somebody else's."""
    try:
        return parse_id(visit.request.path_params["id"])
    except ValueError:
        raise NotFound("memory") from None


def done(memory_id: UUID, what: str) -> Response:
    """To the page of a memory, which says what was done."""
    return see_other(f"{MEMORIES_PATH}/{memory_id}?done={what}")
