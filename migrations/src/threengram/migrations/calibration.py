"""What `confident` of a search weighs with a model, as the evaluation fitted it: shipped with a release, or brought."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

WEIGHTS = frozenset({"similarity", "share", "lift", "words", "bias", "threshold"})
_SHIPPED = Path(__file__).parent / "calibrations"


class InvalidCalibration(ValueError):
    """A calibration lacks a weight, or one of them is no number."""


def shipped_path(name: str) -> Path:
    """Where this release keeps the calibration of a model, if it has one."""
    return _SHIPPED / f"{quote(name, safe='')}.json"


def shipped_calibration(name: str) -> dict[str, float] | None:
    """The calibration of a model that this release ships; None for an unknown model."""
    path = shipped_path(name)
    return parsed(path.read_text()) if path.is_file() else None


def parsed(text: str) -> dict[str, float]:
    """A calibration from JSON. Raises `InvalidCalibration`."""
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise InvalidCalibration("a calibration is a JSON object") from error
    if not isinstance(found, Mapping) or set(found) != WEIGHTS:
        raise InvalidCalibration(f"a calibration has exactly {', '.join(sorted(WEIGHTS))}")
    if not all(type(value) in (int, float) and math.isfinite(value) for value in found.values()):
        raise InvalidCalibration("a weight of a calibration is a number")
    return {name: float(value) for name, value in found.items()}
