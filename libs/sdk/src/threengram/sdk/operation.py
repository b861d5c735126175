"""One operation of the API, described once: as an attribute of a client it is a method, of either kind of client.

The parameters of the method are the fields of the input model, by name, with their types and defaults; what it gives is
the output model, at once or to be awaited. A type checker sees exactly that, and so do `help` and a notebook.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from typing import Any, Generic, ParamSpec, Protocol, Self, TypeVar, cast, get_type_hints, overload

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticUndefined

from threengram.schema.base import Input
from threengram.sdk.answers import refusal_of
from threengram.sdk.errors import Unreachable
from threengram.sdk.request import Request, request_of

P = ParamSpec("P")
Out = TypeVar("Out")
Item = TypeVar("Item")


class Paged(Protocol):
    """An answer that may have a successor."""

    @property
    def next_cursor(self) -> str | None:
        """What leads to the next page; None on the last one."""


Page = TypeVar("Page", bound=Paged)


class Blocking(ABC):
    """Whoever carries out a request and waits for the answer."""

    @abstractmethod
    def send(self, request: Request[Out]) -> Out:
        """The answer; raises `ThreengramError`."""

    @abstractmethod
    def stream(self, request: Request[Any]) -> Iterator[bytes]:
        """The lines of the answer as they come; raises `ThreengramError`."""


class Awaiting(ABC):
    """Whoever carries out a request and lets others work meanwhile."""

    @abstractmethod
    async def send(self, request: Request[Out]) -> Out:
        """The answer; raises `ThreengramError`."""

    @abstractmethod
    def stream(self, request: Request[Any]) -> AsyncIterator[bytes]:
        """The lines of the answer as they come; raises `ThreengramError`."""


class Operation(Generic[P, Out]):
    """What is sent where, and what comes back; see `reads` and `writes`."""

    def __init__(
        self, method: str, path: str, takes: Callable[P, Input], gives: type[Out] | TypeAdapter[Out], *, is_read: bool
    ) -> None:
        self.method = method
        self.path = path
        self.takes = cast(type[Input], takes)
        self.gives: TypeAdapter[Out] = gives if isinstance(gives, TypeAdapter) else TypeAdapter(gives)
        self.is_read = is_read
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

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

        return _described(call, self)


class Walk(Generic[P, Page, Item]):
    """The items of every page of an operation, one after the other; see `walks`."""

    def __init__(self, operation: Operation[P, Page], items: Callable[[Page], Iterable[Item]]) -> None:
        self.operation = operation
        self.items = items
        self.takes = operation.takes
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...

    @overload
    def __get__(self, client: Blocking, owner: type) -> Callable[P, Iterator[Item]]: ...

    @overload
    def __get__(self, client: Awaiting, owner: type) -> Callable[P, AsyncIterator[Item]]: ...

    def __get__(self, client: Blocking | Awaiting | None, owner: type) -> object:
        if client is None:
            return self

        def call(*args: P.args, **arguments: P.kwargs) -> Any:
            request = self.operation.request(*args, **arguments)
            return self._each(client, request) if isinstance(client, Blocking) else self._awaited(client, request)

        return _described(call, self)

    def _each(self, client: Blocking, request: Request[Page]) -> Iterator[Item]:
        while True:
            page = client.send(request)
            yield from self.items(page)
            if page.next_cursor is None:
                return
            request = request.at(page.next_cursor)

    async def _awaited(self, client: Awaiting, request: Request[Page]) -> AsyncIterator[Item]:
        while True:
            page = await client.send(request)
            for item in self.items(page):
                yield item
            if page.next_cursor is None:
                return
            request = request.at(page.next_cursor)


class Download(Generic[P, Out]):
    """The records of an operation that answers with many lines; see `downloads`."""

    def __init__(
        self, operation: Operation[P, Out], record_of: Callable[[bytes], Out], is_end: Callable[[Out], bool]
    ) -> None:
        self.operation = operation
        self.record_of = record_of
        self.is_end = is_end
        self.takes = operation.takes
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.operation.name = name
        self.operation.__doc__ = self.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...

    @overload
    def __get__(self, client: Blocking, owner: type) -> Callable[P, Iterator[Out]]: ...

    @overload
    def __get__(self, client: Awaiting, owner: type) -> Callable[P, AsyncIterator[Out]]: ...

    def __get__(self, client: Blocking | Awaiting | None, owner: type) -> object:
        if client is None:
            return self

        def call(*args: P.args, **arguments: P.kwargs) -> Any:
            request = self.operation.request(*args, **arguments)
            return self._each(client, request) if isinstance(client, Blocking) else self._awaited(client, request)

        return _described(call, self)

    def _each(self, client: Blocking, request: Request[Out]) -> Iterator[Out]:
        is_complete = False
        for line in client.stream(request):
            record = self.record_of(line)
            is_complete = self.is_end(record)
            yield record
        self._require(is_complete)

    async def _awaited(self, client: Awaiting, request: Request[Out]) -> AsyncIterator[Out]:
        is_complete = False
        async for line in client.stream(request):
            record = self.record_of(line)
            is_complete = self.is_end(record)
            yield record
        self._require(is_complete)

    @staticmethod
    def _require(is_complete: bool) -> None:
        if not is_complete:
            raise Unreachable("the answer was cut off")


Declaration = Callable[[Any], None]
"""A method without a body: its name and docstring are those of the operation."""


def reads(
    method: str, path: str, takes: Callable[P, Input], gives: type[Out] | TypeAdapter[Out]
) -> Callable[[Declaration], Operation[P, Out]]:
    """Declares an operation that changes nothing, so that it can be tried again whatever went wrong."""
    return _named(Operation(method, path, takes, gives, is_read=True))


def writes(
    method: str, path: str, takes: Callable[P, Input], gives: type[Out] | TypeAdapter[Out]
) -> Callable[[Declaration], Operation[P, Out]]:
    """Declares an operation that is tried again only if the server surely has not carried it out."""
    return _named(Operation(method, path, takes, gives, is_read=False))


def walks(
    operation: Operation[P, Page], items: Callable[[Page], Iterable[Item]]
) -> Callable[[Declaration], Walk[P, Page, Item]]:
    """Declares the walk through all pages of an operation, from `cursor` on if there is one; `limit` is of a page."""
    return _named(Walk(operation, items))


def downloads(
    method: str,
    path: str,
    takes: Callable[P, Input],
    gives: type[Out],
    record_of: Callable[[bytes], Out],
    is_end: Callable[[Out], bool],
) -> Callable[[Declaration], Download[P, Out]]:
    """Declares an operation whose answer is read line by line, each a record, and is complete with a last one."""
    return _named(Download(Operation(method, path, takes, gives, is_read=True), record_of, is_end))


_Described = TypeVar("_Described", Operation[Any, Any], Walk[Any, Any, Any], Download[Any, Any])


def _named(described: _Described) -> Callable[[Declaration], _Described]:
    def declare(declaration: Declaration) -> _Described:
        described.__doc__ = f"{inspect.getdoc(declaration)}\n\n{_arguments(described.takes)}".strip()
        return described

    return declare


def _described(
    call: Callable[..., Any], source: Operation[Any, Any] | Walk[Any, Any, Any] | Download[Any, Any]
) -> Callable[..., Any]:
    call.__name__ = call.__qualname__ = source.name
    call.__doc__ = source.__doc__
    call.__signature__ = _signature(source.takes)  # type: ignore[attr-defined]
    return call


def _arguments(model: type[BaseModel]) -> str:
    lines = [f"    {name}: {field.description}" for name, field in model.model_fields.items() if field.description]
    return "\n".join(["Args:", *lines]) if lines else ""


def _signature(model: type[BaseModel]) -> inspect.Signature:
    hints = get_type_hints(model)
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.is_required() else _default(field.get_default),
                annotation=hints[name],
            )
            for name, field in model.model_fields.items()
            if field.init is not False
        ]
    )


def _default(get_default: Callable[..., Any]) -> Any:
    value = get_default(call_default_factory=True, validated_data={})
    return None if value is PydanticUndefined else value
