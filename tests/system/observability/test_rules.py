"""Alerts fire for what they are named after, and for nothing like it: promtool's own evaluation, without a server."""

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from tests.rules import alerts, rule_files

CASES = tomllib.loads((Path(__file__).parent / "cases.toml").read_text())


def promtool(*arguments: str) -> str:
    finished = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def expectation(alert: str, series: dict[str, str], at_m: int, *, fires: bool) -> dict[str, Any]:
    firing = f'count(count by (alertname) (ALERTS{{alertname="{alert}",alertstate="firing"}}))'
    samples = [{"labels": "{}", "value": 1}] if fires else []
    return {
        "name": f"{alert} {'fires' if fires else 'is quiet'}",
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [{"expr": firing, "eval_time": f"{at_m}m", "exp_samples": samples}],
    }


def test_the_rule_files_are_valid() -> None:
    promtool("check", "rules", *map(str, rule_files()))


def test_every_alert_has_a_case_of_either_kind() -> None:
    assert set(CASES) == {rule["alert"] for rule in alerts()}
    assert all({"fires", "quiet"} <= case.keys() for case in CASES.values())


def test_each_alert_fires_when_it_should_and_only_then(tmp_path: Path) -> None:
    suites = []
    for rule_file in rule_files():
        expectations = [
            expectation(alert, series, CASES[alert]["at_m"], fires=kind.startswith("fires"))
            for alert in sorted({rule["alert"] for rule in alerts(rule_file)})
            for kind, series in CASES[alert].items()
            if kind.startswith(("fires", "quiet"))
        ]
        suite = {"rule_files": [str(rule_file)], "evaluation_interval": "1m", "tests": expectations}
        suites.append(tmp_path / f"{rule_file.stem}.json")
        suites[-1].write_text(json.dumps(suite))  # JSON is YAML
    promtool("test", "rules", *map(str, suites))
