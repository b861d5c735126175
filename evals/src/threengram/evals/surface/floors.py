"""What the surface has reached and may not fall below. Floors only rise; budgets are raised by hand, on purpose."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from threengram.evals.surface.measure import Measurement

SLACK = 0.01
"""Quantised weights give other last digits on another processor, so floors keep this distance from what is measured,
and only choices that are clearer count for them."""


class Floors(BaseModel):
    """Bounds of every figure. `tools` bounds the share of right choices of each tool alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    accuracy: float = Field(ge=0, le=1)
    margin: float
    lead: float
    overlap_ceiling: float = Field(le=1)
    max_input_bytes: int
    max_list_bytes: int
    tools: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Breach:
    """One figure beyond its bound."""

    text: str


def load(path: Path) -> Floors:
    """The recorded floors."""
    return Floors.model_validate(tomllib.loads(path.read_text()))


def breaches(measured: Measurement, floors: Floors) -> list[Breach]:
    """Everything that is beyond its bound, a tool without a floor and a floor without a tool included."""
    by_meaning = measured.by_meaning
    found = []
    for name, value, least in (
        ("accuracy", by_meaning.accuracy, floors.accuracy),
        ("margin", by_meaning.margin, floors.margin),
        ("lead", by_meaning.lead, floors.lead),
    ):
        if value < least:
            found.append(f"{name} {value:.4f} is below its floor {least:.4f}")
    for name, size, most in (
        ("description overlap", measured.overlap.cosine, floors.overlap_ceiling),
        ("bytes of inputs and descriptions", measured.input_bytes, floors.max_input_bytes),
        ("bytes of the list", measured.list_bytes, floors.max_list_bytes),
    ):
        if size > most:
            found.append(f"{name} {size:.10g} is above its ceiling {most:.10g}")
    found += [f"{tool} has no floor" for tool in measured.tools if tool not in floors.tools]
    found += [f"{tool} has a floor and is not published" for tool in floors.tools if tool not in measured.tools]
    found += [
        f"{tool} is chosen right {share:.2f} of the time, below its floor {floors.tools[tool]:.2f}"
        for tool, share in measured.by_tool.items()
        if share < floors.tools.get(tool, 0.0)
    ]
    return [Breach(text) for text in found]


def raised(measured: Measurement, floors: Floors) -> Floors:
    """The floors with each figure raised to what is measured, less the slack; none ever falls."""
    by_meaning = measured.by_meaning
    return Floors(
        accuracy=max(floors.accuracy, _down(by_meaning.steady_accuracy(SLACK))),
        margin=max(floors.margin, _down(by_meaning.margin - SLACK)),
        lead=max(floors.lead, _down(by_meaning.lead - SLACK)),
        overlap_ceiling=min(floors.overlap_ceiling, ceil((measured.overlap.cosine + SLACK) * 1e4) / 1e4),
        max_input_bytes=floors.max_input_bytes,
        max_list_bytes=floors.max_list_bytes,
        tools={tool: max(floors.tools.get(tool, 0.0), _steady(measured, tool)) for tool in measured.tools},
    )


def _steady(measured: Measurement, tool: str) -> float:
    choices = measured.by_meaning.of(tool)
    return sum(choice.margin > SLACK for choice in choices) / len(choices)


def _down(value: float) -> float:
    return floor(value * 1e4) / 1e4


def text_of(floors: Floors) -> str:
    """The file."""
    lines = [
        "# What the published surface has reached; --raise-floors raises them and never lowers any.",
        *(f"{name} = {value}" for name, value in floors.model_dump().items() if name != "tools"),
        "",
        "[tools]",
        *(f"{tool} = {share}" for tool, share in floors.tools.items()),
    ]
    return "\n".join(lines) + "\n"
