"""A command that uses a memory: a function of a client and its own arguments, which says what it found.

The options that all of them have are added here, and so are the ends: 0, 1 when the memory or the network says no,
2 when the caller has to say something else.
"""

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec

import typer
from pydantic import ValidationError
from rich.console import Console, RenderableType

from threengram.cli.commands.data_dir import DataDir
from threengram.cli.errors import CannotRun
from threengram.cli.memory.endpoint import find
from threengram.schema.base import Output
from threengram.sdk import InvalidInput, Threengram, ThreengramError
from threengram.sdk.answers import refusal_of
from threengram.sdk.connection import DEFAULT_TIMEOUT_S

P = ParamSpec("P")
BaseUrl = Annotated[
    str | None,
    typer.Option(
        envvar="THREENGRAM_BASE_URL", help="Where REST is; as configured, or the running stack, if not given."
    ),
]
ApiKeyFile = Annotated[
    Path | None,
    typer.Option(envvar="THREENGRAM_API_KEY_FILE", help="A file with the key. THREENGRAM_API_KEY may hold it instead."),
]
TimeoutS = Annotated[float, typer.Option(min=0.1, help="Seconds for each call, retries included.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer of the API.")]
C1 = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Control characters that JSON lets stand as they are and that a terminal might obey."""


@dataclass(frozen=True)
class Found:
    """What a command found: for programs, and for people."""

    answer: Output | dict[str, list[Output]]
    text: RenderableType

    def json(self) -> str:
        """The answer under its wire names."""
        if isinstance(self.answer, Output):
            plain: object = self.answer.wire()
        else:
            plain = {name: [item.wire() for item in items] for name, items in self.answer.items()}
        return json.dumps(plain, ensure_ascii=False, indent=2).translate(C1)


def uses_memory(function: Callable[Concatenate[Threengram, P], Found]) -> Callable[..., None]:
    """The command that `function` is, with the options of all such commands."""

    def command(
        *,
        base_url: BaseUrl = None,
        api_key_file: ApiKeyFile = None,
        timeout_s: TimeoutS = DEFAULT_TIMEOUT_S,
        as_json: AsJson = False,
        data_dir: DataDir = None,
        **arguments: Any,
    ) -> None:
        address, key = find(base_url, api_key_file, data_dir)
        with _ends_in_one_line(address), _client(address, key, timeout_s) as memory:
            found = function(memory, **arguments)  # type: ignore[call-arg]
        if as_json:
            typer.echo(found.json())
        else:
            Console(highlight=False, soft_wrap=True).print(found.text)

    own = [*inspect.signature(function).parameters.values()][1:]
    shared = [one for one in inspect.signature(command).parameters.values() if one.kind is one.KEYWORD_ONLY]
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in (*own, *shared)}
    return command


def _client(address: str, key: str, timeout_s: float) -> Threengram:
    try:
        return Threengram(address, api_key=key, timeout_s=timeout_s)
    except ValueError as error:
        raise CannotRun(str(error)) from None


@contextmanager
def _ends_in_one_line(address: str) -> Iterator[None]:
    try:
        yield
    except InvalidInput as error:
        raise CannotRun(error.detail, exit_code=2 if error.status is None else 1) from None
    except ThreengramError as error:
        raise CannotRun(f"{address}: {error}", exit_code=1) from None
    except ValidationError as error:
        raise CannotRun(refusal_of(error).detail) from None
