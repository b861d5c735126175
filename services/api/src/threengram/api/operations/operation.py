"""What an operation is: one record holds all that is published about it and all that runs when it is called."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from threengram.core.call import Call
from threengram.schema.base import Input, Output
from threengram.schema.enums import OAuthScope

In = TypeVar("In", bound=Input)
Out = TypeVar("Out", bound=Output)


@dataclass(frozen=True, kw_only=True)
class Described:
    """One route. `name` is that of core's verb and, where MCP has it, of the tool.

    `scope` is None where any standing credential will do. The arguments of a POST or DELETE are its body, those of
    a GET its path and query. `can_be_missing` and `can_conflict` say whether 404 and 409 belong to its answers.
    """

    name: str
    method: str
    path: str
    title: str
    description: str
    tag: str
    scope: OAuthScope | None
    input: type[Input]
    output: type[Output]
    status: int = 200
    is_tool: bool = True
    can_be_missing: bool = False
    can_conflict: bool = False

    @property
    def has_body(self) -> bool:
        """Whether the arguments come as a JSON body."""
        return self.method in ("POST", "DELETE")


@dataclass(frozen=True, kw_only=True)
class Operation(Described, Generic[In, Out]):
    """A route that answers with one JSON object."""

    input: type[In]
    output: type[Out]
    handler: Callable[[Call, In], Awaitable[Out]]


@dataclass(frozen=True, kw_only=True)
class DownloadOperation(Described):
    """A route that answers with an export; `output` is what every line of it is."""

    is_tool: bool = False


@dataclass(frozen=True, kw_only=True)
class UploadOperation(Described):
    """A route that takes an export: its arguments are the query, each line of its body is a `line`."""

    line: type[Output]
    is_tool: bool = False

    @property
    def has_body(self) -> bool:
        """Its body is no argument."""
        return False


AnyOperation = Operation[Any, Any] | DownloadOperation | UploadOperation
