"""`/facts`: exact values by subject, as they hold or held, and the series of one measure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any, Final

from starlette.responses import Response
from starlette.routing import Route

from threengram.api.browsing.addresses import Addresses, cursor_of
from threengram.api.browsing.curve import curve_of
from threengram.api.browsing.fields import Problems, Unacceptable
from threengram.api.browsing.questions import SERIES, Question
from threengram.api.pages import see_other
from threengram.api.visits import Visit, Visits, sentence
from threengram.core.browse import list_facets
from threengram.core.errors import InvalidCursor, InvalidRequest
from threengram.core.facts import get_facts
from threengram.schema import bounds
from threengram.schema.browse import ListFacetsInput
from threengram.schema.facts import GetFactsOutput
from threengram.schema.memories import Fact

FACTS_PATH: Final = "/facts"
_BOUNDS: Final = {
    "subject": bounds.MAX_SUBJECT_CHARS,
    "predicate": bounds.MAX_PREDICATE_CHARS,
    "scope": bounds.MAX_SCOPE_CHARS,
    "project": bounds.MAX_PROJECT_CHARS,
}


class FactsPage:
    """The page and its form."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses

    def routes(self, visits: Visits) -> list[Route]:
        """GET shows, POST asks."""
        return [visits.page(FACTS_PATH, self._show), visits.form(FACTS_PATH, self._ask, back=FACTS_PATH)]

    def link(self, visit: Visit, question: Question, cursor: str | None = None) -> str:
        """The address of what answers a question."""
        return self._addresses.of(visit, FACTS_PATH, asdict(question), cursor)

    async def _ask(self, visit: Visit) -> Response:
        question = Question.of(visit.form)
        try:
            question.arguments(None)
        except Unacceptable as error:
            return await self._page(visit, question, problems=error.problems)
        return see_other(self.link(visit, question))

    async def _show(self, visit: Visit) -> Response:
        question = Question.of(self._addresses.fields(visit))
        try:
            found = await visit.run(get_facts, question.arguments(cursor_of(visit)))
        except Unacceptable as error:
            return await self._page(visit, question, problems=error.problems)
        except InvalidCursor:
            return see_other(self.link(visit, question))
        except InvalidRequest as error:
            return await self._page(visit, question, problems={error.field or "": sentence(str(error))})
        return await self._page(visit, question, found)

    async def _page(
        self,
        visit: Visit,
        question: Question,
        found: GetFactsOutput | None = None,
        *,
        problems: Problems | None = None,
    ) -> Response:
        facts: Sequence[Fact] = [] if found is None else found.facts
        is_series = question.view == SERIES
        context: Mapping[str, Any] = {
            "question": question,
            "found": found,
            "subjects": _by_subject(facts, is_series=is_series),
            "series": {(fact.subject, fact.predicate): self._series(visit, fact) for fact in facts},
            "is_series": is_series,
            "curve": curve_of(facts) if is_series else None,
            "next_page": None if found is None or not found.has_more else self.link(visit, question, found.next_cursor),
            "first_page": None if cursor_of(visit) is None else self.link(visit, question),
            "names": await visit.run(list_facets, ListFacetsInput()),
            "bounds": _BOUNDS,
            "problems": problems or {},
        }
        return visit.render("facts.html", context, 400 if problems else 200)

    def _series(self, visit: Visit, fact: Fact) -> str:
        return self.link(visit, Question(subject=fact.subject, predicate=fact.predicate, view=SERIES))


def _by_subject(facts: Sequence[Fact], *, is_series: bool) -> Sequence[tuple[str, Sequence[Fact]]]:
    """The page's facts, those of one subject together; within a series in the order of time."""
    if not is_series:
        firsts = list(dict.fromkeys(fact.subject for fact in facts))
        facts = sorted(facts, key=lambda fact: (firsts.index(fact.subject), fact.predicate))
    return [(subject, list(group)) for subject, group in groupby(facts, key=lambda fact: fact.subject)]
