"""Panels and rules against a real Prometheus that watches a loaded stack."""

import json
import re

import httpx2
import pytest

from tests.rules import ROOT, rules
from tests.system.observability.conftest import Observed
from threengram.evals.dashboards import grafana
from threengram.evals.dashboards.proof import without_data
from threengram.evals.dashboards.source import Dashboard, Query

ELSEWHERE = {
    "certmanager_certificate_expiration_timestamp_seconds": "exported by cert-manager",
    "barman_cloud_cloudnative_pg_io_last_available_backup_timestamp": "exported by CloudNativePG's Barman Cloud plugin",
    "threengram_backup_last_success_timestamp_seconds": "written by `threengram backup create`",
    "up": "made by Prometheus at each scrape",
    "ALERTS": "made by Prometheus from the rules",
}
"""Series of rules and dashboards that no service of ours exports, and who does."""

NAME = re.compile(
    r"\b[a-z][a-z0-9_]*(?:_seconds|_total|_count|_sum|_bucket|_timestamp|_up|_age|_failed|_waiting)[a-z_]*\b"
)
PREFIXES = ("threengram_", "http_server_", "mcp_server_")
WRITTEN = [
    path
    for place, pattern in (("charts/threengram/templates", "**/*"), ("docs/runbooks", "*.md"), ("docs/operate", "*.md"))
    for path in sorted((ROOT / place).glob(pattern))
    if path.is_file()
]
"""Where else series are named: scalers of the chart, runbooks, pages."""

LABELS = {
    "component", "instance", "job", "le", "quantile", "state", "generation", "implementation", "major", "minor",
    "patchlevel", "version", "service", "python", "sink", "reason", "check", "method", "route", "status_class", "peer",
    "tool", "outcome", "rule", "store", "fallback", "priority", "result", "statement", "queue", "kind", "leg", "vector",
    "confident", "verb", "memory_type", "embedded", "grant", "table", "size",
}  # fmt: skip
"""Every label that a series may have; none of them can hold what a person chose."""

VALUE = re.compile(r"[A-Za-z0-9_./{}:+*\- ]{0,80}")


@pytest.fixture(scope="module")
def exported(observed: Observed) -> str:
    """What all services say about themselves."""
    urls = [
        url
        for urls in observed.stack.record["adminUrls"].values()
        for url in ([urls] if isinstance(urls, str) else urls)
    ]
    with httpx2.Client(timeout=60, trust_env=False) as client:
        return "\n".join(client.get(f"{url}/metrics").text for url in urls)


def families(text: str) -> set[str]:
    return set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))


def family_of(name: str) -> set[str]:
    return {name, *(name.removesuffix(suffix) for suffix in ("_bucket", "_count", "_sum"))}


def test_the_files_for_grafana_are_those_of_the_sources(dashboards: list[Dashboard]) -> None:
    directory = ROOT / "charts" / "threengram" / "dashboards"
    assert {path.stem for path in directory.glob("*.json")} == {dashboard.name for dashboard in dashboards}
    for dashboard in dashboards:
        text = (directory / f"{dashboard.name}.json").read_text()
        assert text == grafana.text(dashboard), "run `make dashboards`"
        titles = [panel["title"] for panel in json.loads(text)["panels"]]
        assert len(titles) == len(set(titles))


def test_every_component_is_scraped(observed: Observed) -> None:
    targets = observed.watched.prometheus.targets()
    assert targets == dict.fromkeys(("gateway", "api", "embedder", "worker", "beat", "cimd"), "up")


def test_every_panel_shows_something_unless_it_says_why_it_is_empty_when_all_is_well(
    observed: Observed, dashboards: list[Dashboard]
) -> None:
    assert "\n".join(without_data(observed.watched, dashboards)) == ""


def test_no_alert_fires_on_a_healthy_stack(observed: Observed) -> None:
    firing = Query('ALERTS{alertstate="firing"}')
    watched = observed.watched
    assert watched.prometheus.range(firing, watched.start, watched.end, step_s=1) == []


def test_every_series_of_a_rule_a_dashboard_the_chart_or_a_page_is_exported_by_a_running_service(
    exported: str, dashboards: list[Dashboard]
) -> None:
    queries = [query for dashboard in dashboards for panel in dashboard.panels for query in panel.queries]
    named = {name for query in queries for name in query.metrics}
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    for rule in rules():
        named |= Query(rule["expr"]).metrics | set(NAME.findall(rule["expr"]))
    named |= {name for path in WRITTEN for name in NAME.findall(path.read_text()) if name.startswith(PREFIXES)}
    known = families(exported)
    missing = {name for name in named - recorded - ELSEWHERE.keys() if not family_of(name) & known}
    assert named
    assert missing == set()


def test_every_label_is_closed(exported: str) -> None:
    for line in exported.splitlines():
        if line.startswith("#") or "{" not in line:
            continue
        pairs = re.findall(r'([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"', line[line.index("{") : line.rindex("}")])
        assert {name for name, _ in pairs} <= LABELS, line
        assert all(VALUE.fullmatch(value) for _, value in pairs), line


@pytest.mark.parametrize("word", ["harbour", "orchard", "kiln", "quay", "localhost", "not-a-token"])
def test_nothing_that_a_caller_wrote_is_in_a_series(exported: str, word: str) -> None:
    assert word not in exported
