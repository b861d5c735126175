"""Put the questions to the product, and keep what it answered and what its legs knew."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from threengram.core.call import open_call
from threengram.core.search.ranking import Candidate
from threengram.core.search.search import candidates, search
from threengram.evals.retrieval.haystack import Haystack, SessionQuestion
from threengram.evals.retrieval.stage import Told, noon
from threengram.evals.retrieval.stories import Life, Question, Split
from threengram.schema.bounds import MAX_SEARCH_LIMIT
from threengram.schema.search import AsOf, SearchInput

DEPTH = 10
SESSION_DEPTH = 10
IN_FLIGHT = 3


@dataclass(frozen=True)
class Answer:
    """What came back for one question: names of memories, best first, at most `DEPTH`.

    `by_vector` and `by_words` are the orders that either leg alone would have given, superseded rows last as in the
    product. `is_confident` is None where the product does not judge itself.
    """

    life: str
    split: Split
    language: str
    question: Question
    hits: Sequence[str]
    by_vector: Sequence[str]
    by_words: Sequence[str]
    is_confident: bool | None
    found: Sequence[Candidate]


@dataclass(frozen=True)
class SessionAnswer:
    """The sessions that came back for one question, best first, each by its best chunk."""

    haystack: str
    question: SessionQuestion
    sessions: Sequence[str]
    by_vector: Sequence[str]
    by_words: Sequence[str]


async def ask(life: Life, told: Told) -> list[Answer]:
    """The answer to each question of a life."""
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def answer(question: Question) -> Answer:
        async with slots:
            return await _answer(life, told, question)

    return list(await asyncio.gather(*map(answer, life.questions)))


async def ask_sessions(haystack: Haystack, told: Told) -> list[SessionAnswer]:
    """The answer to each question of a haystack, out of the ranking that the product would serve page by page."""
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def answer(question: SessionQuestion) -> SessionAnswer:
        async with slots:
            return await _session_answer(haystack, told, question)

    return list(await asyncio.gather(*map(answer, haystack.questions)))


async def _answer(life: Life, told: Told, question: Question) -> Answer:
    request = _request(question)
    async with open_call(told.core, told.principal) as call:
        output = await search(call, request)
    async with open_call(told.core, told.principal) as call:
        found = await candidates(call, request)
    return Answer(
        life=life.name,
        split=life.split,
        language=question.lang or life.language,
        question=question,
        hits=[told.names[hit.id] for hit in output.hits],
        by_vector=_names(told, by_vector(found))[:DEPTH],
        by_words=_names(told, by_words(found))[:DEPTH],
        is_confident=output.coverage.confident,
        found=found,
    )


async def _session_answer(haystack: Haystack, told: Told, question: SessionQuestion) -> SessionAnswer:
    request = SearchInput(query=question.query, limit=MAX_SEARCH_LIMIT)
    async with open_call(told.core, told.principal) as call:
        found = await candidates(call, request)
    return SessionAnswer(
        haystack=haystack.name,
        question=question,
        sessions=_names(told, found)[:SESSION_DEPTH],
        by_vector=_names(told, by_vector(found))[:SESSION_DEPTH],
        by_words=_names(told, by_words(found))[:SESSION_DEPTH],
    )


def by_vector(found: Iterable[Candidate]) -> list[Candidate]:
    """What the vector leg brought, nearest first."""
    near = [one for one in found if one.evidence.cosine is not None]
    return sorted(near, key=lambda one: (one.evidence.superseded, -(one.evidence.cosine or 0.0), -one.row["memory_no"]))


def by_words(found: Iterable[Candidate]) -> list[Candidate]:
    """What the lexical leg brought, best covered first."""
    worded = [one for one in found if one.evidence.lexical > 0]
    return sorted(worded, key=lambda one: (one.evidence.superseded, -one.evidence.lexical, -one.row["memory_no"]))


def _names(told: Told, found: Iterable[Candidate]) -> list[str]:
    return list(dict.fromkeys(told.names[one.row["id"]] for one in found))


def _request(question: Question) -> SearchInput:
    narrowed, moment = question.filter, question.as_of
    as_of = (
        None if moment is None else AsOf(valid_at=_instant(moment.valid_at), as_known_at=_instant(moment.as_known_at))
    )
    return SearchInput(
        query=question.query,
        limit=DEPTH,
        memory_type=narrowed.memory_type,
        project=narrowed.project,
        scope=narrowed.scope,
        as_of=as_of,
        recorded_after=_instant(narrowed.recorded_after),
        recorded_before=_instant(narrowed.recorded_before),
    )


def _instant(day: date | None) -> datetime | None:
    return None if day is None else noon(day)
