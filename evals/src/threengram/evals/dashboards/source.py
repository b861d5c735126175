"""The dashboards as they are written: a title, and panels with their PromQL."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

RATE_INTERVAL = "$__rate_interval"
_METRIC = re.compile(r"(?<![\w\"'=~.])((?:threengram|mcp|http|process)[:_][a-z0-9_:]+|up|ALERTS)\b(\{)?")


@dataclass(frozen=True)
class Query:
    """PromQL, and how a series is named: labels in double braces."""

    expr: str
    legend: str = ""

    @property
    def metrics(self) -> set[str]:
        """The names of the series that it reads."""
        return {match.group(1) for match in _METRIC.finditer(self.expr)}

    def scoped(self, selector: str) -> str:
        """The same query with `selector` added to every series that it reads."""

        def add(match: re.Match[str]) -> str:
            return f"{match.group(1)}{{{selector}{',' if match.group(2) else '}'}"

        return _METRIC.sub(add, self.expr)


@dataclass(frozen=True)
class Panel:
    """`empty` says why a healthy installation has nothing to show here; None where it always has."""

    title: str
    unit: str
    queries: tuple[Query, ...]
    about: str = ""
    show: str = "timeseries"
    empty: str | None = None


@dataclass(frozen=True)
class Dashboard:
    """`name` is the stem of its files."""

    name: str
    title: str
    about: str
    panels: tuple[Panel, ...]


def read(directory: Path) -> list[Dashboard]:
    """Every dashboard of a directory. Raises `TypeError` for a key that none has."""
    return [_dashboard(path.stem, yaml.safe_load(path.read_text())) for path in sorted(directory.glob("*.yaml"))]


def _dashboard(name: str, content: dict[str, Any]) -> Dashboard:
    panels = tuple(
        Panel(**{**panel, "queries": tuple(Query(**query) for query in panel["queries"])})
        for panel in content.pop("panels")
    )
    return Dashboard(name, panels=panels, **content)
