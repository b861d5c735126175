"""Whatever is wrong with an input is said of a field, also when it is wrong only beside another one."""

import pytest
from pydantic import ValidationError

from threengram.schema.base import Input
from threengram.schema.errors import MEANINGS, ErrorCode, issues_of
from threengram.schema.facts import GetFactsInput
from threengram.schema.memories import GetMemoriesInput, RememberInput
from threengram.schema.search import SearchInput

ID = "0190d3a8-7c2e-7000-8000-000000000000"
LATER, EARLIER = '"2026-03-02T00:00:00Z"', '"2026-03-01T00:00:00Z"'
NOTE = '{"memoryType": "note", "topic": "t", "content": "c", %s}'
FACT = NOTE % '"facts": [{"subject": "s", "predicate": "p", "value": "v", %s}]'

REFUSED: list[tuple[type[Input], str, str, str]] = [
    (RememberInput, NOTE % f'"dueAt": {LATER}', "dueAt", "commitment_only"),
    (RememberInput, NOTE % '"owner": "Ana"', "owner", "commitment_only"),
    (RememberInput, NOTE % '"recurrence": "FREQ=DAILY"', "recurrence", "commitment_only"),
    (
        RememberInput,
        '{"memoryType": "commitment", "topic": "t", "content": "c", "recurrence": "FREQ=DAILY"}',
        "recurrence",
        "recurrence_needs_due",
    ),
    (RememberInput, FACT % f'"validTo": {LATER}', "facts[0].validTo", "fact_interval"),
    (RememberInput, FACT % f'"validFrom": {LATER}, "validTo": {EARLIER}', "facts[0].validTo", "fact_interval"),
    (SearchInput, "{}", "query", "query_required"),
    (SearchInput, '{"order": "chronological"}', "query", "unbounded"),
    (SearchInput, '{"query": "q", "memoryType": "note", "memoryTypes": ["fact"]}', "memoryTypes", "exclusive"),
    (
        SearchInput,
        f'{{"query": "q", "recordedAfter": {LATER}, "recordedBefore": {EARLIER}}}',
        "recordedBefore",
        "recorded_range",
    ),
    (SearchInput, '{"query": "q", "asOf": {}}', "asOf", "as_of_empty"),
    (GetFactsInput, f'{{"range": {{"from": {LATER}, "to": {EARLIER}}}}}', "range.to", "range_order"),
    (
        GetMemoriesInput,
        f'{{"ids": ["{ID}", "{ID}", "{ID}", "{ID}", "{ID}"], "maxContentChars": 65536}}',
        "maxContentChars",
        "total_chars",
    ),
]


@pytest.mark.parametrize(("model", "arguments", "path", "code"), REFUSED)
def test_a_rule_between_fields_names_the_one_to_change(
    model: type[Input], arguments: str, path: str, code: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        model.parse(arguments)
    assert [(issue.path, issue.code) for issue in issues_of(refused.value)] == [(path, code)]


def test_a_field_that_is_wrong_by_itself_is_reported_alone() -> None:
    with pytest.raises(ValidationError) as refused:
        RememberInput.parse(NOTE.replace("note", "idea") % f'"dueAt": {LATER}')
    assert [issue.path for issue in issues_of(refused.value)] == ["memoryType"]


def test_every_code_has_a_meaning() -> None:
    assert list(MEANINGS) == list(ErrorCode)
