"""A dashboard as the JSON that Grafana imports: one namespace and one data source, chosen at the top."""

import json
from pathlib import Path
from typing import Any

from threengram.evals.dashboards.source import Dashboard, Panel

SCHEMA_VERSION = 39
COLUMNS = 24
WIDTH = 8
HEIGHT = 8
STAT_HEIGHT = 4
SCOPE = 'namespace=~"$namespace"'
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def write(dashboards: list[Dashboard], directory: Path) -> None:
    """One file each."""
    for dashboard in dashboards:
        (directory / f"{dashboard.name}.json").write_text(text(dashboard))


def text(dashboard: Dashboard) -> str:
    """The file's content."""
    return json.dumps(document(dashboard), indent=1, ensure_ascii=False) + "\n"


def document(dashboard: Dashboard) -> dict[str, Any]:
    """Grafana's dashboard model."""
    return {
        "uid": f"threengram-{dashboard.name}",
        "title": f"3ngram / {dashboard.title}",
        "description": dashboard.about,
        "tags": ["threengram"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": False,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "links": [{"type": "dashboards", "tags": ["threengram"], "title": "3ngram", "asDropdown": True}],
        "templating": {"list": [_data_source(), _namespace()]},
        "panels": _placed(dashboard.panels),
    }


def _data_source() -> dict[str, Any]:
    return {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"}


def _namespace() -> dict[str, Any]:
    # A plain Prometheus has no namespaces: "all" matches series without the label too.
    return {
        "name": "namespace",
        "label": "Namespace",
        "type": "query",
        "datasource": SOURCE,
        "query": "label_values(threengram_build_info, namespace)",
        "refresh": 2,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
    }


def _placed(panels: tuple[Panel, ...]) -> list[dict[str, Any]]:
    placed, x, y, row_height = [], 0, 0, 0
    for number, panel in enumerate(panels, start=1):
        height = STAT_HEIGHT if panel.show == "stat" else HEIGHT
        if x + WIDTH > COLUMNS or (row_height and height != row_height):
            x, y = 0, y + row_height
        row_height = height
        placed.append(_panel(number, panel, {"x": x, "y": y, "w": WIDTH, "h": height}))
        x += WIDTH
    return placed


def _panel(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    described = " ".join(part for part in (panel.about, panel.empty and f"Empty when healthy: {panel.empty}") if part)
    return {
        "id": number,
        "type": panel.show,
        "title": panel.title,
        "description": described,
        "datasource": SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + index),
                "datasource": SOURCE,
                "expr": query.scoped(SCOPE),
                "legendFormat": query.legend or "__auto",
            }
            for index, query in enumerate(panel.queries)
        ],
    }
