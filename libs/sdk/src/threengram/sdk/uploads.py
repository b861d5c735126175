"""Operations that take a file, sent while it is read."""

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from typing import Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, overload

from threengram.schema.base import Input
from threengram.sdk.method import Awaiting, Blocking, Declaration, Method
from threengram.sdk.operation import Operation

P = ParamSpec("P")
Out = TypeVar("Out")
PIECE_BYTES: Final = 65_536


class Upload(Method, Generic[P, Out]):
    """As an attribute of a client, a method whose first argument is the file; see `uploads`."""

    def __init__(self, operation: Operation[P, Out]) -> None:
        self.operation = operation
        self.takes = operation.takes

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.operation.name = name

    def document(self, declaration: Declaration) -> None:
        """Also of the operation, which has no attribute of its own."""
        super().document(declaration)
        self.operation.document(declaration)

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...

    @overload
    def __get__(self, client: Blocking, owner: type) -> Callable[Concatenate[Iterable[bytes], P], Out]: ...

    @overload
    def __get__(
        self, client: Awaiting, owner: type
    ) -> Callable[Concatenate[Iterable[bytes], P], Coroutine[Any, Any, Out]]: ...

    def __get__(self, client: Blocking | Awaiting | None, owner: type) -> object:
        if client is None:
            return self

        def call(file: Iterable[bytes], *args: P.args, **arguments: P.kwargs) -> Any:
            return client.upload(self.operation.request(*args, **arguments), pieces_of(file))

        return self.called(call)

    def _parameters(self) -> Iterator[inspect.Parameter]:
        yield inspect.Parameter("file", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Iterable[bytes])
        yield from super()._parameters()


def pieces_of(file: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are worth a write each; an open binary file gives lines."""
    piece = bytearray()
    for part in file:
        piece += part
        if len(piece) >= PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


async def awaited(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """The pieces, for a client that asks for them in another way."""
    for piece in pieces:
        yield piece


def uploads(
    method: str, path: str, takes: Callable[P, Input], gives: type[Out]
) -> Callable[[Declaration], Upload[P, Out]]:
    """Declares an operation that takes a file beside its arguments, which travel in the query."""

    def declare(declaration: Declaration) -> Upload[P, Out]:
        upload = Upload(Operation(method, path, takes, gives, is_read=False))
        upload.document(declaration)
        return upload

    return declare
