"""One operation of the API, described once: as an attribute of a client it is a method, of either kind of client.

The parameters of the method are the fields of the input model, by name, with their types and defaults; what it gives is
the output model, at once or to be awaited. A type checker sees exactly that.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Generic, ParamSpec, Self, TypeVar, cast, overload

from pydantic import TypeAdapter, ValidationError

from threengram.schema.base import Input
from threengram.sdk.answers import refusal_of
from threengram.sdk.method import Awaiting, Blocking, Declaration, Method
from threengram.sdk.request import Request, request_of

P = ParamSpec("P")
Out = TypeVar("Out")


class Operation(Method, Generic[P, Out]):
    """What is sent where, and what comes back; see `reads` and `writes`."""

    takes: type[Input]

    def __init__(
        self, method: str, path: str, takes: Callable[P, Input], gives: type[Out] | TypeAdapter[Out], *, is_read: bool
    ) -> None:
        self.method = method
        self.path = path
        self.takes = cast(type[Input], takes)
        self.gives: TypeAdapter[Out] = gives if isinstance(gives, TypeAdapter) else TypeAdapter(gives)
        self.is_read = is_read

    def request(self, *args: P.args, **arguments: P.kwargs) -> Request[Out]:
        """The request for these arguments; raises `InvalidInput`.

        Texts may stand for members of enumerations, for ids and for instants, dictionaries for models.
        """
        fields = self.takes.model_fields
        # By their wire names, so that an error has the same path here as from the API.
        named = {fields[name].alias or name if name in fields else name: value for name, value in arguments.items()}
        try:
            given = self.takes.model_validate(named, strict=False)
        except ValidationError as error:
            raise refusal_of(error) from None
        return request_of(self.method, self.path, given, self.gives, is_read=self.is_read)

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...

    @overload
    def __get__(self, client: Blocking, owner: type) -> Callable[P, Out]: ...

    @overload
    def __get__(self, client: Awaiting, owner: type) -> Callable[P, Coroutine[Any, Any, Out]]: ...

    def __get__(self, client: Blocking | Awaiting | None, owner: type) -> object:
        if client is None:
            return self

        def call(*args: P.args, **arguments: P.kwargs) -> Any:
            return client.send(self.request(*args, **arguments))

        return self.called(call)


def reads(
    method: str, path: str, takes: Callable[P, Input], gives: type[Out] | TypeAdapter[Out]
) -> Callable[[Declaration], Operation[P, Out]]:
    """Declares an operation that changes nothing, so that it can be tried again whatever went wrong."""
    return _declared(Operation(method, path, takes, gives, is_read=True))


def writes(
    method: str, path: str, takes: Callable[P, Input], gives: type[Out] | TypeAdapter[Out]
) -> Callable[[Declaration], Operation[P, Out]]:
    """Declares an operation that is tried again only if the server surely has not carried it out."""
    return _declared(Operation(method, path, takes, gives, is_read=False))


def _declared(operation: Operation[P, Out]) -> Callable[[Declaration], Operation[P, Out]]:
    def declare(declaration: Declaration) -> Operation[P, Out]:
        operation.document(declaration)
        return operation

    return declare
