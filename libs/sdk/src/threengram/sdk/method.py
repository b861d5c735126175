"""What an attribute of a client is like as a method: its name, its parameters, what `help` shows of it."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel

from threengram.sdk.request import Request

Out = TypeVar("Out")
Declaration = Callable[[Any], None]
"""A method without a body: its docstring is the documentation."""


class Blocking(ABC):
    """Whoever carries out a request and waits for the answer."""

    @abstractmethod
    def send(self, request: Request[Out]) -> Out:
        """The answer; raises `ThreengramError`."""

    @abstractmethod
    def stream(self, request: Request[Any]) -> Iterator[bytes]:
        """The lines of the answer as they come; raises `ThreengramError`."""

    @abstractmethod
    def upload(self, request: Request[Out], pieces: Iterator[bytes]) -> Out:
        """The answer to a file, sent once; raises `ThreengramError`."""


class Awaiting(ABC):
    """Whoever carries out a request and lets others work meanwhile."""

    @abstractmethod
    async def send(self, request: Request[Out]) -> Out:
        """The answer; raises `ThreengramError`."""

    @abstractmethod
    def stream(self, request: Request[Any]) -> AsyncIterator[bytes]:
        """The lines of the answer as they come; raises `ThreengramError`."""

    @abstractmethod
    async def upload(self, request: Request[Out], pieces: Iterator[bytes]) -> Out:
        """The answer to a file, sent once; raises `ThreengramError`."""


class Method:
    """Base of the descriptors; `takes` is the model whose fields are the parameters."""

    name = ""
    takes: type[BaseModel]

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def document(self, declaration: Declaration) -> None:
        """Take over the docstring, followed by what the model says of its fields."""
        said = {name: field.description for name, field in self.takes.model_fields.items() if field.description}
        arguments = "\n".join(["Args:", *(f"    {name}: {words}" for name, words in said.items())]) if said else ""
        self.__doc__ = f"{inspect.getdoc(declaration)}\n\n{arguments}".strip()

    def called(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """`call`, under the name and with the signature of the method."""
        call.__name__ = call.__qualname__ = self.name
        call.__doc__ = self.__doc__
        call.__signature__ = inspect.Signature([*self._parameters()])  # type: ignore[attr-defined]
        return call

    def _parameters(self) -> Iterator[inspect.Parameter]:
        hints = get_type_hints(self.takes)
        for name, field in self.takes.model_fields.items():
            if field.init is False:
                continue
            default = field.get_default(call_default_factory=True, validated_data={})
            yield inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.is_required() else default,
                annotation=hints[name],
            )
