"""The rule files of the chart, read for tests: they are plain Prometheus files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
RULES = ROOT / "charts" / "threengram" / "rules"
RUNBOOKS = ROOT / "docs" / "runbooks"


def rule_files() -> list[Path]:
    """All of them."""
    return sorted(RULES.glob("*.yaml"))


def rules(*paths: Path) -> Iterator[dict[str, Any]]:
    """Every rule of these files or of all, recording ones too."""
    for path in paths or rule_files():
        for group in yaml.safe_load(path.read_text())["groups"]:
            yield from group["rules"]


def alerts(*paths: Path) -> list[dict[str, Any]]:
    """Every alerting rule; an alert may have one for each severity."""
    return [rule for rule in rules(*paths) if "alert" in rule]
