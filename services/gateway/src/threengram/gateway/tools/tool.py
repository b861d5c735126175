"""What a tool is: one record holds all that is published about it and all that runs when it is called."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import mcp_types as t

from threengram.core.call import Call
from threengram.schema.advertise import input_schema, output_outline
from threengram.schema.base import Input, Output
from threengram.schema.enums import OAuthScope

In = TypeVar("In", bound=Input)
Out = TypeVar("Out", bound=Output)


@dataclass(frozen=True, slots=True)
class Annotations:
    """The four hints, none of them optional: a client approves calls by them, so that none may be forgotten."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


READ = Annotations(read_only=True, destructive=False, idempotent=True, open_world=False)
"""A read of the caller's own memory."""

APPEND = Annotations(read_only=False, destructive=False, idempotent=False, open_world=False)
"""A write that adds and never destroys."""


@dataclass(frozen=True)
class Tool(Generic[In, Out]):
    """One tool. `scopes`: any one of them lets a token through; `description` speaks to the model that chooses."""

    name: str
    title: str
    description: str
    scopes: frozenset[OAuthScope]
    annotations: Annotations
    input: type[In]
    output: type[Out]
    handler: Callable[[Call, In], Awaitable[Out]]

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The arguments as advertised: closed at every depth."""
        return input_schema(self.input)

    def published(self) -> t.Tool:
        """The entry of `tools/list`."""
        hints = self.annotations
        return t.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.input_schema,
            output_schema=output_outline(self.output),
            annotations=t.ToolAnnotations(
                read_only_hint=hints.read_only,
                destructive_hint=hints.destructive,
                idempotent_hint=hints.idempotent,
                open_world_hint=hints.open_world,
            ),
        )
