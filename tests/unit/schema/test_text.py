"""Text is normalised, then counted, and refused rather than cut."""

import pytest
from pydantic import ValidationError

from threengram.schema.base import Input
from threengram.schema.bounds import MAX_CONTENT_CHARS, MAX_FACTS_PER_WRITE
from threengram.schema.errors import issues_of
from threengram.schema.memories import RememberInput
from threengram.schema.revisions import ReviseInput
from threengram.schema.scopes import ConfigureScopeInput
from threengram.schema.search import SearchInput
from threengram.schema.sessions import OpenSessionInput

ID = "0190d3a8-7c2e-7000-8000-000000000000"
FACT = '{"subject": "s", "predicate": "%s", "value": "v"}'


def note(content: str, **more: object) -> RememberInput:
    return RememberInput.model_validate({"memory_type": "note", "topic": "t", "content": content, **more}, strict=False)


def test_text_is_trimmed_composed_and_counted_in_code_points() -> None:
    assert note(" \n Zoe\u0308 \t").content == "Zo\u00eb"
    assert len(note("  " + "e\u0308" * MAX_CONTENT_CHARS + "  ").content) == MAX_CONTENT_CHARS
    assert len(note("\U0001d4b3" * MAX_CONTENT_CHARS).content) == MAX_CONTENT_CHARS


@pytest.mark.parametrize("character", ["a", "\u00eb", "\U0001d4b3"])
def test_one_code_point_too_many_is_refused_and_not_cut(character: str) -> None:
    with pytest.raises(ValidationError) as refused:
        note(character * (MAX_CONTENT_CHARS + 1))
    assert [(issue.path, issue.code) for issue in issues_of(refused.value)] == [("content", "string_too_long")]


WRITES: dict[str, tuple[type[Input], str]] = {
    "topic": (RememberInput, '{"memoryType": "note", "topic": "a%s", "content": "c"}'),
    "content": (RememberInput, '{"memoryType": "note", "topic": "t", "content": "a%s"}'),
    "tags[0]": (RememberInput, '{"memoryType": "note", "topic": "t", "content": "c", "tags": ["a%s"]}'),
    "project": (RememberInput, '{"memoryType": "note", "topic": "t", "content": "c", "project": "a%s"}'),
    "owner": (RememberInput, '{"memoryType": "commitment", "topic": "t", "content": "c", "owner": "a%s"}'),
    "facts[0].value": (
        ReviseInput,
        '{"predecessorId": "' + ID + '", "memoryType": "note", "topic": "t", "content": "c",'
        ' "facts": [{"subject": "s", "predicate": "p", "value": "a%s"}]}',
    ),
    "scope_project": (ConfigureScopeInput, '{"action": "set_mapping", "scope": "work", "project": "a%s"}'),
    "sessionKey": (OpenSessionInput, '{"agent": "me", "sessionKey": "a%s"}'),
    "query": (SearchInput, '{"query": "a%s"}'),
}


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800", "\\udfff"])
@pytest.mark.parametrize("place", WRITES)
def test_what_cannot_be_stored_is_refused_on_every_way_in(place: str, escape: str) -> None:
    model, arguments = WRITES[place]
    with pytest.raises(ValidationError):
        model.parse(arguments % escape)


@pytest.mark.parametrize(("text", "code"), [("a\x00", "text_nul"), ("a\ud800", "text_surrogate")])
def test_such_text_is_refused_by_a_code_of_its_own(text: str, code: str) -> None:
    with pytest.raises(ValidationError) as refused:
        note(text)
    assert [(issue.path, issue.code) for issue in issues_of(refused.value)] == [("content", code)]


def test_a_write_states_at_most_sixteen_facts() -> None:
    def stating(count: int) -> str:
        facts = ", ".join(FACT % number for number in range(count))
        return f'{{"memoryType": "note", "topic": "t", "content": "c", "facts": [{facts}]}}'

    assert MAX_FACTS_PER_WRITE == 16
    assert len(RememberInput.parse(stating(16)).facts or []) == 16
    with pytest.raises(ValidationError) as refused:
        RememberInput.parse(stating(17))
    assert [issue.path for issue in issues_of(refused.value)] == ["facts"]
