"""Pictures for the report, as PNG inside the page."""

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from threengram.evals.retrieval.confidence_fit import Floats, Judged, probabilities, reliability
from threengram.evals.retrieval.metrics import Figure
from threengram.evals.retrieval.stories import Split

mpl.use("Agg")
DPI = 110
COLOURS = {Split.TRAIN: "#9aa5b1", Split.DEV: "#5b8db8", Split.TEST: "#c7622b"}


def by_slice(figures: Mapping[str, tuple[Figure | None, Figure | None]]) -> str:
    """MRR@5 of dev and test for each slice, with intervals."""
    picture, axes = _canvas(9, 0.5 * len(figures) + 1)
    for row, pair in enumerate(figures.values()):
        for split, shift, value in ((Split.DEV, -0.12, pair[0]), (Split.TEST, 0.12, pair[1])):
            if value is not None:
                error = [[value.value - value.low], [value.high - value.value]]
                axes.errorbar(value.value, row + shift, xerr=error, fmt="o", color=COLOURS[split], capsize=2,
                              label=split.value if row == 0 else None)  # fmt: skip
    axes.set_yticks(range(len(figures)), list(figures))
    axes.set_xlabel("MRR@5, 95 % interval")
    axes.set_xlim(0, 1.03)
    axes.legend(frameon=False, loc="lower left")
    return _tag(picture, "MRR at 5 by slice")


def confidence(questions: Sequence[Judged], calibration: Mapping[str, Any] | None) -> str:
    """The calibration curve, and both shares of abstention over the threshold, for train, dev and test."""
    if calibration is None or not questions:
        return "<p>The model has no calibration.</p>"
    picture, (curve, trade) = _two_canvases()
    for split in Split:
        seen = [one for one in questions if one.split is split]
        if not seen:
            continue
        likely = probabilities(dict(calibration), seen)
        points = reliability(likely, _truth(seen))
        curve.plot(
            [one[0] for one in points], [one[1] for one in points], "o-", color=COLOURS[split], label=split.value
        )
        steps = [number / 100 for number in range(101)]
        yes = [chance for chance, one in zip(likely, seen, strict=True) if one.is_answerable]
        no = [chance for chance, one in zip(likely, seen, strict=True) if not one.is_answerable]
        trade.plot(steps, [sum(chance >= step for chance in yes) / len(yes) for step in steps], color=COLOURS[split])
        trade.plot(steps, [sum(chance < step for chance in no) / len(no) for step in steps], "--", color=COLOURS[split])
    curve.plot([0, 1], [0, 1], color="#cccccc", zorder=0)
    curve.set_xlabel("probability given")
    curve.set_ylabel("share that is answerable")
    curve.legend(frameon=False)
    trade.axvline(calibration["threshold"], color="#444444", linewidth=1)
    trade.set_xlabel("threshold (line: the one in use)")
    trade.set_ylabel("kept (full) and declined (dashed)")
    return _tag(picture, "Calibration and abstention")


def _truth(questions: Sequence[Judged]) -> Floats:
    return np.array([one.is_answerable for one in questions], dtype=float)


def _canvas(width: float, height: float) -> tuple[Picture, Axes]:
    picture = Picture(figsize=(width, height), layout="constrained")
    return picture, picture.subplots()


def _two_canvases() -> tuple[Picture, tuple[Axes, Axes]]:
    picture = Picture(figsize=(10, 4), layout="constrained")
    left, right = picture.subplots(1, 2)
    return picture, (left, right)


def _tag(picture: Picture, alternative: str) -> str:
    held = io.BytesIO()
    picture.savefig(held, format="png", dpi=DPI)
    return f'<p><img alt="{alternative}" src="data:image/png;base64,{base64.b64encode(held.getvalue()).decode()}"></p>'
