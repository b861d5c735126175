"""What agents need, in their words: five utterances for each tool, none of which names one."""

import re
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

PER_TOOL = 5


class InvalidUtterances(Exception):
    """The data lack a tool, have too many or too few utterances for one, or give the answer away."""


class Utterance(BaseModel):
    """One need; `near_miss` is the tool it could be mistaken for."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str = Field(min_length=20, max_length=300)
    near_miss: str


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    utterance: list[Utterance] = Field(min_length=PER_TOOL, max_length=PER_TOOL)


Utterances = Mapping[str, list[Utterance]]


def load(folder: Path, tools: Collection[str]) -> Utterances:
    """The utterances of each published tool, in its order. Raises `InvalidUtterances`."""
    strangers = sorted({path.stem for path in folder.glob("*.toml")} - set(tools))
    if strangers:
        raise InvalidUtterances(f"utterances of tools that are not published: {', '.join(strangers)}")
    return {tool: _of(folder / f"{tool}.toml", tool, tools) for tool in tools}


def load_texts(path: Path) -> Mapping[str, list[str]]:
    """Plain texts by tool, for the report only."""
    texts: dict[str, list[str]] = tomllib.loads(path.read_text())
    return texts


def _of(path: Path, tool: str, tools: Collection[str]) -> list[Utterance]:
    if not path.is_file():
        raise InvalidUtterances(f"{tool} has no utterances: write {PER_TOOL} into {path.name}")
    decoded: dict[str, Any] = tomllib.loads(path.read_text())
    try:
        utterances = _File.model_validate(decoded).utterance
    except ValidationError as error:
        raise InvalidUtterances(f"{path.name}: {error}") from error
    if len({utterance.text for utterance in utterances}) < PER_TOOL:
        raise InvalidUtterances(f"{path.name} says the same twice")
    for utterance in utterances:
        if utterance.near_miss == tool or utterance.near_miss not in tools:
            raise InvalidUtterances(f"{path.name}: {utterance.near_miss} is no other published tool")
        named = named_tools(utterance.text, tools)
        if named:
            raise InvalidUtterances(f"{path.name}: {utterance.text!r} names {', '.join(named)}")
    return utterances


def named_tools(text: str, tools: Collection[str]) -> list[str]:
    """The tools that a text names, in any case, with a space or a hyphen for an underscore as well."""
    words = re.sub(r"[\s_-]+", " ", text.lower())
    return [tool for tool in tools if re.search(rf"\b{tool.replace('_', ' ')}\b", words)]
