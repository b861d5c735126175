"""`configure_scope` on the wire: one flat object for clients, closed forms inside."""

import pytest
from pydantic import ValidationError

from threengram.schema.advertise import input_schema, output_schema
from threengram.schema.errors import issues_of
from threengram.schema.scopes import ConfigureScopeInput, ConfigureScopeOutput, CreateScope, SetMapping


def test_the_arguments_are_advertised_as_one_closed_object() -> None:
    schema = input_schema(ConfigureScopeInput)
    assert schema["properties"]["action"] == {
        "type": "string",
        "enum": ["list", "create", "rename", "set_aliases", "set_mapping", "delete", "set_retrieval_default"],
    }
    assert list(schema["properties"]) == ["action", "name", "aliases", "newName", "project", "scope", "mode"]
    assert (schema["type"], schema["required"], schema["additionalProperties"]) == ("object", ["action"], False)


def test_the_answers_are_advertised_as_one_open_object() -> None:
    schema = output_schema(ConfigureScopeOutput)
    assert schema["properties"]["action"] == {"type": "string"}
    assert list(schema["properties"]) == ["action", "scopes", "count", "scope", "name", "mapping", "policy"]
    assert (schema["type"], schema["required"], schema["additionalProperties"]) == ("object", ["action"], True)


def test_arguments_become_the_form_that_the_action_names() -> None:
    created = ConfigureScopeInput.parse('{"action": "create", "name": "work"}')
    assert created == CreateScope(name="work", aliases=[])
    for absent in ("", ', "scope": null'):
        unmapped = ConfigureScopeInput.parse('{"action": "set_mapping", "project": "atlas"' + absent + "}")
        assert unmapped == SetMapping(project="atlas", scope=None)


@pytest.mark.parametrize(
    ("arguments", "issue"),
    [
        ("{}", ("action", "missing")),
        ('{"action": "destroy"}', ("action", "literal_error")),
        ('{"action": "list", "name": "work"}', ("name", "extra_forbidden")),
        ('{"action": "rename", "name": "work"}', ("newName", "missing")),
        ('{"action": "create", "name": "Work"}', ("name", "string_pattern_mismatch")),
        (
            '{"action": "create", "name": "work", "aliases": ["job", "The Job"]}',
            ("aliases[1]", "string_pattern_mismatch"),
        ),
        ('{"action": "set_retrieval_default", "mode": "default"}', ("scope", "scope_required")),
        ('{"action": "set_retrieval_default", "mode": "off", "scope": "work"}', ("scope", "scope_refused")),
        ('{"action": "set_retrieval_default", "mode": "maybe"}', ("mode", "enum")),
        ("[]", ("", "model_type")),
    ],
)
def test_a_refused_argument_is_named_by_its_own_path(arguments: str, issue: tuple[str, str]) -> None:
    with pytest.raises(ValidationError) as refused:
        ConfigureScopeInput.parse(arguments)
    assert [(found.path, found.code) for found in issues_of(refused.value)] == [issue]
