"""`review_proposals` on the wire: one flat object for clients, closed forms inside."""

import pytest
from pydantic import ValidationError

from threengram.core.proposals.edge_policy import PROPOSABLE, allowed_edges
from threengram.schema.advertise import input_schema, output_schema
from threengram.schema.enums import CLOSING_EDGES, MemoryType
from threengram.schema.errors import issues_of
from threengram.schema.proposals import ListProposals, ReviewProposalsInput, ReviewProposalsOutput

ID = "0190d3a8-7c2e-7000-8000-000000000000"


def test_the_arguments_are_advertised_as_one_closed_object() -> None:
    schema = input_schema(ReviewProposalsInput)
    assert schema["properties"]["action"] == {"type": "string", "enum": ["list", "accept", "reject"]}
    assert list(schema["properties"]) == ["action", "status", "limit", "cursor", "proposalId", "edgeType"]
    assert (schema["required"], schema["additionalProperties"]) == (["action"], False)


def test_the_answers_are_advertised_as_one_open_object() -> None:
    schema = output_schema(ReviewProposalsOutput)
    assert list(schema["properties"]) == [
        "action", "proposals", "count", "factProposals", "hasMore", "nextCursor", "proposal", "factId",
    ]  # fmt: skip
    assert (schema["required"], schema["additionalProperties"]) == (["action"], True)


def test_a_decided_proposal_is_advertised_for_either_kind() -> None:
    proposal = output_schema(ReviewProposalsOutput)["properties"]["proposal"]
    shared = ["id", "memoryType", "rationale", "status", "decidedAt", "createdAt"]
    assert proposal["required"] == shared
    assert {"fromId", "toId", "memoryId", "subject", "value", *shared} < set(proposal["properties"])


def test_a_list_shows_open_proposals_unless_asked_otherwise() -> None:
    assert ReviewProposalsInput.parse('{"action": "list"}') == ListProposals()
    assert ListProposals().status == "proposed"


@pytest.mark.parametrize(
    ("arguments", "issue"),
    [
        ('{"action": "accept"}', ("proposalId", "missing")),
        (f'{{"action": "reject", "proposalId": "{ID}", "edgeType": "extends"}}', ("edgeType", "extra_forbidden")),
        (f'{{"action": "list", "proposalId": "{ID}"}}', ("proposalId", "extra_forbidden")),
        ('{"action": "list", "limit": 101}', ("limit", "less_than_equal")),
        ('{"action": "list", "status": "open"}', ("status", "enum")),
        ('{"action": "accept", "proposalId": "7"}', ("proposalId", "id_format")),
        (f'{{"action": "accept", "proposalId": "{ID}", "edgeType": "follows"}}', ("edgeType", "enum")),
        ('{"action": "undo"}', ("action", "literal_error")),
    ],
)
def test_a_refused_argument_is_named_by_its_own_path(arguments: str, issue: tuple[str, str]) -> None:
    with pytest.raises(ValidationError) as refused:
        ReviewProposalsInput.parse(arguments)
    assert [(found.path, found.code) for found in issues_of(refused.value)] == [issue]


def test_events_are_never_taken_over() -> None:
    assert set(PROPOSABLE) == set(MemoryType)
    for other in MemoryType:
        for edges in (allowed_edges(MemoryType.EVENT, other), allowed_edges(other, MemoryType.EVENT)):
            assert not CLOSING_EDGES & set(edges)
    assert allowed_edges(MemoryType.PREFERENCE, MemoryType.EVENT) == []
