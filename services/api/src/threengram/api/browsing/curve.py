"""Pure: a series of numbers as the points of a small picture."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from threengram.schema.memories import Fact

WIDTH: Final = 640
HEIGHT: Final = 96
_EDGE: Final = 6
_NUMBER: Final = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?")


@dataclass(frozen=True, slots=True)
class Curve:
    """Points as SVG has them, in a box of `WIDTH` by `HEIGHT`; lowest and highest value as they were written."""

    points: Sequence[tuple[float, float]]
    lowest: str
    highest: str


def curve_of(facts: Sequence[Fact]) -> Curve | None:
    """The curve of one measure over time; None unless it is at least two values, all of them numbers."""
    if len({(fact.subject, fact.predicate) for fact in facts}) != 1 or len(facts) < 2:
        return None
    if not all(_NUMBER.fullmatch(fact.value) for fact in facts):
        return None
    times = [fact.valid_from.timestamp() for fact in facts]
    values = [float(fact.value) for fact in facts]
    points = list(zip(_scaled(times, WIDTH), (HEIGHT - y for y in _scaled(values, HEIGHT)), strict=True))
    by_value = sorted(facts, key=lambda fact: float(fact.value))
    return Curve(points, by_value[0].value, by_value[-1].value)


def _scaled(numbers: Sequence[float], size: int) -> Sequence[float]:
    low, high = min(numbers), max(numbers)
    room = size - 2 * _EDGE
    return [round(_EDGE + room * ((one - low) / (high - low) if high > low else 0.5), 1) for one in numbers]
