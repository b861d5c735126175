"""One contract: each REST operation is a method of the clients with the same models, and each method an operation."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import TypeAdapter

from threengram.api.operations import OPERATIONS, PREFIX, AnyOperation
from threengram.schema.enums import OAuthScope
from threengram.schema.forms import InputForms, union_of
from threengram.schema.scopes import ListScopes, ScopesListed
from threengram.sdk import AsyncThreengram, Threengram
from threengram.sdk import request as sdk_request
from threengram.sdk.iteration import Download, Walk
from threengram.sdk.operation import Operation
from threengram.sdk.operations import Operations
from threengram.sdk.uploads import Upload

METHODS: dict[str, Operation[Any, Any]] = {
    name: member if isinstance(member, Operation) else member.operation
    for name, member in vars(Operations).items()
    if isinstance(member, Operation | Download | Upload)
}
WALKS: dict[str, Walk[Any, Any, Any]] = {
    name: member for name, member in vars(Operations).items() if isinstance(member, Walk)
}
SAID_BY_A_GET = (ListScopes, ScopesListed)
"""Forms that have a route of their own."""


def methods_of(operation: AnyOperation) -> Iterator[Operation[Any, Any]]:
    return (method for method in METHODS.values() if (method.method, method.path) == (operation.method, operation.path))


def forms(model: type[Any]) -> set[type[Any]]:
    """The forms that a model stands for, or the model itself."""
    union = union_of(model)
    return {model} if union is model else set(get_args(get_args(union)[0])) - set(SAID_BY_A_GET)


def names(*adapters: TypeAdapter[Any]) -> set[str]:
    """The classes of what is given, by name."""
    schemas = [adapter.json_schema(mode="serialization") for adapter in adapters]
    return {
        option["$ref"].rpartition("/")[2] if "$ref" in option else option["title"]
        for schema in schemas
        for option in schema.get("anyOf", [schema])
    }


def test_each_operation_is_a_method_with_its_models_and_its_name() -> None:
    for operation in OPERATIONS:
        methods = list(methods_of(operation))
        assert {method.takes for method in methods} == forms(operation.input), operation.name
        assert names(*(method.gives for method in methods)) == {form.__name__ for form in forms(operation.output)}
        if not issubclass(operation.input, InputForms):
            assert [method.name for method in methods] == [operation.name]


def test_each_method_is_an_operation_and_says_what_it_does() -> None:
    reached = [method for operation in OPERATIONS for method in methods_of(operation)]
    assert sorted(method.name for method in reached) == sorted(METHODS)
    assert all(method.name == name and method.__doc__ for name, method in METHODS.items())
    assert all(walk.name == name and walk.__doc__ for name, walk in WALKS.items())
    assert sdk_request.PREFIX == PREFIX


def test_nothing_that_writes_is_repeated_like_a_read() -> None:
    for operation in OPERATIONS:
        for method in methods_of(operation):
            lists = getattr(method.takes.model_fields.get("action"), "default", None) == "list"
            reads = operation.method == "GET" or operation.scope is OAuthScope.MEMORY_READ or lists
            assert method.is_read is reads, method.name


def test_whatever_comes_in_pages_can_be_walked() -> None:
    paged = {name for name, method in METHODS.items() if "cursor" in method.takes.model_fields}
    assert {walk.operation.name for walk in WALKS.values()} == paged


def test_both_clients_have_every_method_and_no_other() -> None:
    def public(client: type[object]) -> set[str]:
        return {name for name in dir(client) if not name.startswith("_")}

    shared = {*METHODS, *WALKS, "send", "stream", "upload", "within"}
    assert public(Threengram) == {*shared, "close"}
    assert public(AsyncThreengram) == {*shared, "aclose"}
