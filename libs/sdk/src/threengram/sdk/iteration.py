"""Operations that give one thing after the other: through pages, or out of an answer of many lines."""

from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Generic, ParamSpec, Protocol, Self, TypeVar, overload

from threengram.schema.base import Input
from threengram.sdk.errors import Unreachable
from threengram.sdk.method import Awaiting, Blocking, Declaration, Method
from threengram.sdk.operation import Operation
from threengram.sdk.request import Request

P = ParamSpec("P")
Item = TypeVar("Item")


class Paged(Protocol):
    """An answer that may have a successor."""

    @property
    def next_cursor(self) -> str | None:
        """What leads to the next page; None on the last one."""


Page = TypeVar("Page", bound=Paged)


class Iteration(Method, Generic[P, Item]):
    """As an attribute of a client, a method that gives an iterator, or an async one."""

    def __init__(self, operation: Operation[P, Any]) -> None:
        self.operation = operation
        self.takes = operation.takes

    @abstractmethod
    def each(self, client: Blocking, request: Request[Any]) -> Iterator[Item]:
        """The items, asked for while they are taken."""

    @abstractmethod
    def each_awaited(self, client: Awaiting, request: Request[Any]) -> AsyncIterator[Item]:
        """The same, awaited."""

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
            return self.each(client, request) if isinstance(client, Blocking) else self.each_awaited(client, request)

        return self.called(call)


class Walk(Iteration[P, Item], Generic[P, Page, Item]):
    """The items of every page of an operation; see `walks`."""

    def __init__(self, operation: Operation[P, Page], items: Callable[[Page], Iterable[Item]]) -> None:
        super().__init__(operation)
        self.items = items

    def each(self, client: Blocking, request: Request[Page]) -> Iterator[Item]:
        """The items, a page asked for when the one before is used up."""
        while True:
            page = client.send(request)
            yield from self.items(page)
            if page.next_cursor is None:
                return
            request = request.at(page.next_cursor)

    async def each_awaited(self, client: Awaiting, request: Request[Page]) -> AsyncIterator[Item]:
        """The same, awaited."""
        while True:
            page = await client.send(request)
            for item in self.items(page):
                yield item
            if page.next_cursor is None:
                return
            request = request.at(page.next_cursor)


class Download(Iteration[P, Item]):
    """The records of an operation that answers with many lines; see `downloads`."""

    def __init__(
        self, operation: Operation[P, Item], record_of: Callable[[bytes], Item], is_end: Callable[[Item], bool]
    ) -> None:
        super().__init__(operation)
        self.record_of = record_of
        self.is_end = is_end

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.operation.name = name

    def document(self, declaration: Declaration) -> None:
        """Also of the operation, which has no attribute of its own."""
        super().document(declaration)
        self.operation.document(declaration)

    def each(self, client: Blocking, request: Request[Item]) -> Iterator[Item]:
        """The records; raises `Unreachable` when the last one is missing."""
        is_complete = False
        for line in client.stream(request):
            record = self.record_of(line)
            is_complete = self.is_end(record)
            yield record
        self._require(is_complete)

    async def each_awaited(self, client: Awaiting, request: Request[Item]) -> AsyncIterator[Item]:
        """The same, awaited."""
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


def walks(
    operation: Operation[P, Page], items: Callable[[Page], Iterable[Item]]
) -> Callable[[Declaration], Walk[P, Page, Item]]:
    """Declares the walk through all pages of an operation, from `cursor` on if there is one; `limit` is of a page."""

    def declare(declaration: Declaration) -> Walk[P, Page, Item]:
        walk = Walk(operation, items)
        walk.document(declaration)
        return walk

    return declare


def downloads(
    method: str,
    path: str,
    takes: Callable[P, Input],
    gives: type[Item],
    record_of: Callable[[bytes], Item],
    is_end: Callable[[Item], bool],
) -> Callable[[Declaration], Download[P, Item]]:
    """Declares an operation whose answer is read line by line, each a record, and is complete with a last one."""

    def declare(declaration: Declaration) -> Download[P, Item]:
        download = Download(Operation(method, path, takes, gives, is_read=True), record_of, is_end)
        download.document(declaration)
        return download

    return declare
