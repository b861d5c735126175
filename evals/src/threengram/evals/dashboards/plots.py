"""A dashboard as a picture, drawn from what a real Prometheus answered."""

import io
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from threengram.evals.dashboards.prometheus import Prometheus, Series
from threengram.evals.dashboards.source import Dashboard, Panel

COLUMNS = 3
DPI = 60
MOST_NAMES = 8
COLOURS = 48


def draw(dashboard: Dashboard, prometheus: Prometheus, start: float, end: float, path: Path) -> None:
    """Write the picture."""
    rows = -(-len(dashboard.panels) // COLUMNS)
    picture = Figure(figsize=(16, 3.1 * rows), layout="constrained")
    picture.suptitle(f"3ngram / {dashboard.title}")
    places = picture.subplots(rows, COLUMNS, squeeze=False).flatten()
    for axes, panel in zip(places, dashboard.panels, strict=False):
        found = [
            one for query in panel.queries for one in prometheus.range(query, start, end, step_s=(end - start) / 120)
        ]
        _panel(axes, panel, found, start)
    for axes in places[len(dashboard.panels) :]:
        axes.set_axis_off()
    drawn = io.BytesIO()
    picture.savefig(drawn, dpi=DPI)
    Image.open(drawn).quantize(COLOURS).save(path, optimize=True)


def _panel(axes: Axes, panel: Panel, found: Sequence[Series], start: float) -> None:
    axes.set_title(panel.title, fontsize=10)
    if not found:
        axes.text(0.5, 0.5, f"empty: {panel.empty}", ha="center", va="center", fontsize=8, wrap=True)
        axes.set_axis_off()
        return
    if panel.show == "stat":
        value = found[0].points[-1][1]
        axes.text(0.5, 0.5, f"{value:.2%}" if panel.unit == "percentunit" else f"{value:g}", ha="center", fontsize=24)
        axes.set_axis_off()
        return
    for one in found:
        axes.plot([at - start for at, _ in one.points], [value for _, value in one.points], label=one.name, linewidth=1)
    axes.margins(y=0.15)
    axes.set_ylim(bottom=0)
    axes.set_ylabel(panel.unit, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3)
    handles, names = axes.get_legend_handles_labels()
    axes.legend(handles[:MOST_NAMES], names[:MOST_NAMES], fontsize=6, loc="upper left")
