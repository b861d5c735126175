"""`/commitments`: what is owed and what stands in the way, of one snapshot."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from threengram.api.browsing.addresses import Addresses
from threengram.api.browsing.fields import Problems, Unacceptable, arguments
from threengram.api.browsing.filters import Filters
from threengram.api.browsing.memories import MemoriesPage
from threengram.api.pages import see_other
from threengram.api.visits import Visit, Visits, sentence
from threengram.core.briefing import briefing
from threengram.core.browse import list_facets
from threengram.core.errors import InvalidRequest
from threengram.schema import bounds
from threengram.schema.briefing import (
    BriefingInput,
    BriefingMode,
    BriefingOutput,
    BriefingSection,
    CommitmentLine,
    CommitmentSection,
    SelectorKind,
)
from threengram.schema.browse import ListFacetsInput
from threengram.schema.enums import MemoryType

COMMITMENTS_PATH: Final = "/commitments"
_SECTIONS: Final = (BriefingSection.OVERDUE, BriefingSection.COMMITMENTS, BriefingSection.BLOCKERS)
_NAMES: Final = {"selector.scope": "scope", "selector.project": "project"}
_BOUNDS: Final = {"scope": bounds.MAX_SCOPE_CHARS, "project": bounds.MAX_PROJECT_CHARS}


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The fields of the form."""

    scope: str = ""
    project: str = ""

    def arguments(self) -> BriefingInput:
        """The arguments of `briefing`; raises `Unacceptable`."""
        kinds = {
            (False, False): SelectorKind.ALL,
            (True, False): SelectorKind.SCOPE,
            (False, True): SelectorKind.PROJECT,
            (True, True): SelectorKind.SCOPE_PROJECT,
        }
        selector = {name: value for name, value in asdict(self).items() if value}
        given = {
            "selector": {"kind": kinds[bool(self.scope), bool(self.project)], **selector},
            "mode": BriefingMode.FULL,
            "sections": _SECTIONS,
            "sectionLimit": bounds.MAX_SECTION_LIMIT,
        }
        return arguments(BriefingInput, given, _NAMES)


class CommitmentsPage:
    """The page and its form; `memories` shows what does not fit."""

    def __init__(self, addresses: Addresses, memories: MemoriesPage) -> None:
        self._addresses = addresses
        self._memories = memories

    def routes(self, visits: Visits) -> list[Route]:
        """GET shows, POST asks."""
        return [
            visits.page(COMMITMENTS_PATH, self._show),
            visits.form(COMMITMENTS_PATH, self._ask, back=COMMITMENTS_PATH),
        ]

    async def _ask(self, visit: Visit) -> Response:
        asked = _narrowed(visit.form)
        try:
            asked.arguments()
        except Unacceptable as error:
            return await self._page(visit, asked, problems=error.problems)
        return see_other(self._addresses.of(visit, COMMITMENTS_PATH, asdict(asked)))

    async def _show(self, visit: Visit) -> Response:
        asked = _narrowed(self._addresses.fields(visit))
        try:
            found = await visit.run(briefing, asked.arguments())
        except Unacceptable as error:
            return await self._page(visit, asked, problems=error.problems)
        except InvalidRequest as error:
            return await self._page(visit, asked, problems={"scope": sentence(str(error))})
        return await self._page(visit, asked, found)

    async def _page(
        self, visit: Visit, asked: Narrowed, found: BriefingOutput | None = None, *, problems: Problems | None = None
    ) -> Response:
        kinds = (MemoryType.COMMITMENT, MemoryType.BLOCKER)
        context: Mapping[str, Any] = {
            "asked": asked,
            "found": found,
            "owed": [] if found is None or found.commitments is None else _owed(found.commitments),
            "lists": {
                str(kind): self._memories.link(visit, Filters(type=kind, scope=asked.scope, project=asked.project))
                for kind in kinds
            },
            "names": await visit.run(list_facets, ListFacetsInput()),
            "bounds": _BOUNDS,
            "problems": problems or {},
        }
        return visit.render("commitments.html", context, 400 if problems else 200)


def _narrowed(given: Mapping[str, str]) -> Narrowed:
    return Narrowed(given.get("scope", "").strip(), given.get("project", "").strip())


def _owed(section: CommitmentSection) -> Sequence[CommitmentLine]:
    """What is not due yet; the rest stands among the overdue."""
    return [line for line in section.items if not line.overdue]
