"""One request, ready to be sent as often as it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import Any, Final, Generic
from urllib.parse import quote

from pydantic import TypeAdapter

from threengram.schema.base import Input
from threengram.schema.forms import TAG, InputForms
from threengram.schema.reading import Out

PREFIX: Final = "/api/v1"
NDJSON: Final = "application/x-ndjson"


@dataclass(frozen=True)
class Request(Generic[Out]):
    """`arguments` go into the body of a POST and into the query of a GET; what they say is shown nowhere."""

    method: str
    path: str
    arguments: Mapping[str, Any] = field(repr=False)
    gives: TypeAdapter[Out] = field(repr=False)
    is_read: bool

    @property
    def content(self) -> dict[str, Any]:
        """The arguments as the HTTP client takes them."""
        return {"params": self.arguments} if self.method == "GET" else {"json": self.arguments}

    def at(self, cursor: str) -> "Request[Out]":
        """The same question, at a later page."""
        return replace(self, arguments={**self.arguments, "cursor": cursor})


def request_of(method: str, path: str, given: Input, gives: TypeAdapter[Out], *, is_read: bool) -> Request[Out]:
    """The request with these arguments; those that were not given stay away, so that the server's defaults hold."""
    arguments = given.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    if isinstance(given, InputForms):
        arguments[TAG] = given.action
    in_path = {name for _, name, _, _ in Formatter().parse(path) if name}
    filled = path.format(**{name: quote(str(arguments.pop(name)), safe="") for name in in_path})
    return Request(method, PREFIX + filled, arguments, gives, is_read)
