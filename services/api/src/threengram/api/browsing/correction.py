"""`/memories/{id}/correct`: a successor takes the place of a memory. Nothing is edited in place."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from starlette.responses import Response
from starlette.routing import Route

from threengram.api.browsing.draft import FACT_FIELDS, Stored, fact_field, paths_of, postponement, revision
from threengram.api.browsing.fields import Problems, Unacceptable
from threengram.api.browsing.memories import MEMORIES_PATH
from threengram.api.browsing.memory import MEMORY_PATH, done, memory_id_of
from threengram.api.failures import status_of
from threengram.api.visits import Visit, Visits, sentence
from threengram.core.browse import list_facets, memory_details
from threengram.core.errors import Conflict, DuplicateMemory, InvalidRequest
from threengram.core.memories import get_memory, revise
from threengram.core.time.clock import Clock
from threengram.schema import bounds
from threengram.schema.browse import ListFacetsInput, MemoryDetailsInput
from threengram.schema.enums import MemoryType
from threengram.schema.memories import GetMemoryInput
from threengram.schema.revisions import ReviseInput

CORRECT_PATH: Final = f"{MEMORY_PATH}/correct"
_BOUNDS: Final = {
    "topic": bounds.MAX_TOPIC_CHARS,
    "content": bounds.MAX_CONTENT_CHARS,
    "scope": bounds.MAX_SCOPE_CHARS,
    "project": bounds.MAX_PROJECT_CHARS,
    "tags": bounds.MAX_TAGS * (bounds.MAX_TAG_CHARS + 2),
    "owner": bounds.MAX_OWNER_CHARS,
    "recurrence": bounds.MAX_RECURRENCE_CHARS,
    "subject": bounds.MAX_SUBJECT_CHARS,
    "predicate": bounds.MAX_PREDICATE_CHARS,
    "value": bounds.MAX_VALUE_CHARS,
}


class CorrectionPage:
    """The form, and the short one that only postpones."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def routes(self, visits: Visits) -> list[Route]:
        """GET shows the form, POST writes the successor."""
        return [
            visits.page(CORRECT_PATH, self._show),
            visits.form(CORRECT_PATH, self._correct, back=MEMORIES_PATH),
            visits.form(f"{MEMORY_PATH}/postpone", self._postpone, back=MEMORIES_PATH),
        ]

    async def _show(self, visit: Visit) -> Response:
        stored = await self._stored(visit)
        return await self._page(visit, stored, stored.fields)

    async def _correct(self, visit: Visit) -> Response:
        stored = await self._stored(visit)
        try:
            return await _revised(visit, revision(stored, visit.form), "corrected")
        except Unacceptable as error:
            return await self._page(visit, stored, visit.form, 400, problems=error.problems)
        except DuplicateMemory as error:
            problems = {"": sentence(str(error))}
            return await self._page(visit, stored, visit.form, 409, problems=problems, in_the_way=error.subject_id)
        except (Conflict, InvalidRequest) as error:
            field = paths_of(visit.form, stored.fact_rows).get(error.field or "", "")
            problems = {field: sentence(str(error))}
            return await self._page(visit, stored, visit.form, status_of(error), problems=problems)

    async def _postpone(self, visit: Visit) -> Response:
        stored = await self._stored(visit)
        try:
            return await _revised(visit, postponement(stored, visit.form.get("due", "")), "postponed")
        except Unacceptable as error:
            return await self._page(visit, stored, stored.fields, 400, problems=error.problems)

    async def _stored(self, visit: Visit) -> Stored:
        memory_id = memory_id_of(visit)
        memory = await visit.run(get_memory, GetMemoryInput(id=memory_id))
        return Stored(memory, await visit.run(memory_details, MemoryDetailsInput(id=memory_id)), self._clock())

    async def _page(
        self,
        visit: Visit,
        stored: Stored,
        fields: Mapping[str, str],
        status_code: int = 200,
        *,
        problems: Problems | None = None,
        in_the_way: str | None = None,
    ) -> Response:
        context: dict[str, Any] = {
            "memory": stored.memory,
            "stored": stored,
            "fields": {name: fields.get(name, "") for name in stored.fields},
            "fact_rows": [{name: fact_field(row, name) for name in FACT_FIELDS} for row in range(stored.fact_rows)],
            "types": [(str(one), one.capitalize()) for one in MemoryType],
            "names": await visit.run(list_facets, ListFacetsInput()),
            "bounds": _BOUNDS,
            "problems": problems or {},
            "in_the_way": None if in_the_way is None else UUID(in_the_way),
        }
        return visit.render("correct.html", context, status_code)


async def _revised(visit: Visit, request: ReviseInput, what: str) -> Response:
    written = await visit.run(revise, request)
    return done(written.memory.id, what)
