"""Answers of a server that is newer than the client."""

import copy
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, get_args

import httpx2
import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.unit.sdk.clients import BOTH, Call, Script, Time, page
from threengram.api.operations import OPERATIONS
from threengram.schema.enums import MemoryType
from threengram.schema.forms import union_of
from threengram.schema.memories import MemoryEcho, RememberInput
from threengram.schema.reading import Vocabulary, read
from threengram.sdk import Threengram
from threengram.sdk.operation import Operation

ECHO = {"id": "0190d3a8-7c2e-7000-8000-000000000001", "topic": "t", "scope": "s", "project": None}
NEWER = {"memory": {**ECHO, "memoryType": "goal", "mood": "calm"}, "embedded": "half", "cost": {"tokens": 3}}


@pytest.mark.parametrize("client", BOTH, ids=lambda client: client.__name__)
def test_members_and_values_that_are_not_known_yet_break_nothing(client: Call) -> None:
    answer = client(Script(httpx2.Response(201, json=NEWER)), Time())(
        "remember", memory_type="note", topic="t", content="c"
    )
    kind = answer.memory.memory_type
    assert isinstance(kind, MemoryType)
    assert (kind, kind.value, str(kind), f"{kind}") == ("goal", "goal", "goal", "goal")
    assert kind not in list(MemoryType)
    assert answer.wire()["memory"] == {**ECHO, "memoryType": "goal"}
    assert copy.deepcopy(answer) == answer


def test_a_value_that_was_read_once_stays_unknown_to_everybody_else() -> None:
    assert read(TypeAdapter(MemoryType), b'"goal"') == "goal"
    with pytest.raises(ValueError, match="goal"):
        MemoryType("goal")
    with pytest.raises(ValidationError):
        RememberInput.parse('{"memoryType": "goal", "topic": "t", "content": "c"}')
    with pytest.raises(ValidationError):
        MemoryEcho.model_validate({**ECHO, "memoryType": "goal"})


def enumerations(annotation: Any, seen: set[Any]) -> Iterator[type[StrEnum]]:
    """Every enumeration in an annotation and in the models that it holds."""
    if annotation in seen:
        return
    seen.add(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for field in annotation.model_fields.values():
            yield from enumerations(field.annotation, seen)
    elif isinstance(annotation, type) and issubclass(annotation, StrEnum):
        yield annotation
    for argument in get_args(annotation):
        if not isinstance(argument, str):
            yield from enumerations(argument, seen)


def test_every_enumeration_in_an_answer_may_grow() -> None:
    seen: set[Any] = set()
    found = {kind for operation in OPERATIONS for kind in enumerations(union_of(operation.output), seen)}
    assert len(found) > 10
    assert [kind for kind in found if not issubclass(kind, Vocabulary)] == []


@pytest.mark.parametrize("client", BOTH, ids=lambda client: client.__name__)
def test_a_walk_ends_with_the_last_page_and_asks_for_none_that_is_not_wanted(client: Call) -> None:
    run, ids = "0190d3a8-7c2e-7000-8000-00000000000f", [f"0190d3a8-7c2e-7000-8000-00000000000{n}" for n in range(5)]
    script = Script(page(ids[:2], "second"), page([], "third"), page(ids[2:]))
    found = client(script, Time())("iter_session_events", id=run, limit=2)
    assert [str(event.id) for event in found] == ids
    assert [dict(request.url.params) for request in script.requests] == [
        {"limit": "2"},
        {"limit": "2", "cursor": "second"},
        {"limit": "2", "cursor": "third"},
    ]


def test_a_walk_that_is_left_early_asks_for_nothing_more() -> None:
    script = Script(page(["0190d3a8-7c2e-7000-8000-000000000001"] * 2, "second"))
    with Threengram("http://memory.test", api_key="k", transport=httpx2.MockTransport(script)) as memory:
        next(memory.iter_session_events(id="0190d3a8-7c2e-7000-8000-00000000000f"))  # type: ignore[arg-type]
    assert len(script.requests) == 1


def test_a_method_explains_itself_at_run_time_too() -> None:
    method = Threengram("http://memory.test", api_key="k").remember
    assert method.__name__ == "remember"
    assert "topic: A short title" in (method.__doc__ or "")
    assert isinstance(Threengram.remember, Operation)
    assert isinstance(type(Threengram.iter_hits).__doc__, str)
