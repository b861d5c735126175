"""What the chart gives to a monitoring stack is what promtool and Prometheus were shown."""

import json
import re

import pytest
import yaml

from tests.deploy.rendering import KEYS, Manifest, merged, render
from tests.rules import ROOT, rule_files

pytestmark = pytest.mark.xdist_group("deploy")

BOOK = "https://git.example.com/threengram/docs/runbooks"
COMPONENTS = {"gateway", "api", "embedder", "worker", "beat", "cimd"}
WATCHED = {
    "podMonitor": {"enabled": True},
    "dashboards": {"enabled": True},
    "rules": {"enabled": True, "runbookBaseUrl": BOOK},
}


@pytest.fixture(scope="module")
def manifests() -> list[Manifest]:
    return render(merged(KEYS, {"monitoring": WATCHED, "workers": {"default": {}, "slow": {}}}))


def of_kind(manifests: list[Manifest], kind: str) -> list[Manifest]:
    return [manifest for manifest in manifests if manifest["kind"] == kind]


def test_the_rules_are_those_of_the_files_with_runbooks_where_they_are_published(manifests: list[Manifest]) -> None:
    rendered = [group for rule in of_kind(manifests, "PrometheusRule") for group in rule["spec"]["groups"]]
    written = [
        group
        for path in rule_files()
        for group in yaml.safe_load(path.read_text().replace("docs/runbooks", BOOK))["groups"]
    ]
    assert sorted(rendered, key=lambda group: str(group["name"])) == sorted(
        written, key=lambda group: str(group["name"])
    )


def test_every_dashboard_is_a_config_map_for_the_sidecar(manifests: list[Manifest]) -> None:
    found = [
        json.loads(text)
        for one in of_kind(manifests, "ConfigMap")
        if one["metadata"]["labels"].get("grafana_dashboard") == "1"
        for text in one["data"].values()
    ]
    files = (ROOT / "charts" / "threengram" / "dashboards").glob("*.json")
    assert {one["uid"] for one in found} == {json.loads(path.read_text())["uid"] for path in files}


def test_scraped_pods_get_the_component_that_rules_and_panels_select_by(manifests: list[Manifest]) -> None:
    (monitor,) = (
        one for one in of_kind(manifests, "PodMonitor") if one["spec"]["podMetricsEndpoints"][0]["port"] == "admin"
    )
    relabeling = monitor["spec"]["podMetricsEndpoints"][0]["relabelings"][-1]
    assert relabeling["targetLabel"] == "component"
    assert relabeling["sourceLabels"] == ["__meta_kubernetes_pod_label_app_kubernetes_io_component"]
    pods = [one["spec"]["template"]["metadata"]["labels"] for one in of_kind(manifests, "Deployment")]
    found = set()
    for labels in pods:
        match = re.fullmatch(relabeling["regex"], labels["app.kubernetes.io/component"])
        assert match is not None
        found.add("".join(group or "" for group in match.groups()))
    assert found == COMPONENTS
