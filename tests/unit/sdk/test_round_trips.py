"""What a caller gives is what the API gets: over the client, the wire, and the API's own reading of it."""

import contextlib
from datetime import datetime, timedelta, timezone
from typing import Any

import httpx2
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from threengram.api.arguments import from_body, from_url
from threengram.api.operations import OPERATIONS
from threengram.schema.base import Input
from threengram.schema.enums import MemoryType
from threengram.schema.search import AsOf, Projection, SearchOrder
from threengram.sdk import ListingStatus, NewFact, Threengram, ThreengramError

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40).filter(
    str.strip
)
NAMES = st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}", fullmatch=True)
OFFSETS = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=OFFSETS)  # noqa: DTZ001
TYPES = st.sampled_from(MemoryType)


def some(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


FACTS = st.builds(
    lambda valid_from, lasts, **more: NewFact(
        valid_from=valid_from, valid_to=None if lasts is None else valid_from + lasts, **more
    ),
    valid_from=INSTANTS,
    lasts=some(st.timedeltas(timedelta(0), timedelta(days=999))),
    subject=TEXTS,
    predicate=TEXTS,
    value=TEXTS,
    confidence=some(st.floats(0, 1)),
)
REMEMBER = st.fixed_dictionaries(
    {"memory_type": TYPES, "topic": TEXTS, "content": TEXTS},
    optional={"scope": some(NAMES), "project": some(TEXTS), "tags": st.lists(TEXTS, max_size=4),
              "facts": st.lists(FACTS, max_size=3), "session_run_id": some(st.uuids())},
)  # fmt: skip
SEARCH = st.fixed_dictionaries(
    {"query": TEXTS},
    optional={"limit": st.integers(1, 25), "memory_types": st.lists(TYPES, min_size=1, max_size=8), "scope": NAMES,
              "as_of": st.builds(AsOf, valid_at=INSTANTS, as_known_at=some(INSTANTS)), "recorded_after": INSTANTS,
              "order": st.sampled_from(SearchOrder), "projection": st.sampled_from(Projection)},
)  # fmt: skip
LISTING = st.fixed_dictionaries(
    {},
    optional={"memory_types": st.lists(TYPES, min_size=1, max_size=8), "scope": NAMES, "tag": TEXTS,
              "project": st.lists(TEXTS, min_size=1, max_size=4), "status": st.sampled_from(ListingStatus),
              "recorded_before": INSTANTS, "limit": st.integers(1, 100)},
)  # fmt: skip


def as_the_api_reads_it(name: str, arguments: dict[str, Any]) -> Input:
    sent: list[httpx2.Request] = []

    def note(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(418)

    memory = Threengram("http://memory.test", api_key="k", transport=httpx2.MockTransport(note))
    with memory, contextlib.suppress(ThreengramError):
        getattr(memory, name)(**arguments)
    (request,) = sent
    received = Request({"type": "http", "query_string": request.url.query, "path_params": {}})
    (operation,) = [operation for operation in OPERATIONS if operation.name == name]
    model: type[Input] = operation.input
    return from_body(model, request.content, received) if operation.has_body else from_url(model, received)


@settings(max_examples=40, derandomize=True)
@given(REMEMBER)
def test_a_memory_arrives_as_it_was_given(arguments: dict[str, Any]) -> None:
    assert as_the_api_reads_it("remember", arguments) == Threengram.remember.takes(**arguments)


@settings(max_examples=40, derandomize=True)
@given(SEARCH)
def test_a_question_arrives_as_it_was_asked(arguments: dict[str, Any]) -> None:
    assert as_the_api_reads_it("search", arguments) == Threengram.search.takes(**arguments)


@settings(max_examples=40, derandomize=True)
@given(LISTING)
def test_filters_arrive_through_a_query_string(arguments: dict[str, Any]) -> None:
    assert as_the_api_reads_it("list_memories", arguments) == Threengram.list_memories.takes(**arguments)


def test_what_was_not_given_is_left_to_the_server() -> None:
    sent = Threengram.search.request(query="q", scope=None)
    assert sent.arguments == {"query": "q"}
    assert "q" not in repr(sent).replace("Request", "")
