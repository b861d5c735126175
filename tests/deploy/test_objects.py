"""Every object of every set of values is what the oldest and the newest Kubernetes, and the operators, accept."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import helm_python as helm
import jsonschema
import pytest
import yaml
from referencing import Registry
from referencing.jsonschema import DRAFT7

from tests.deploy.rendering import (
    CHART,
    KEYS,
    SETS,
    Manifest,
    merged,
    nested,
    of_kind,
    pod_templates,
    render,
    rendered,
    values_of,
)
from threengram.api.settings import Settings as ApiSettings

pytestmark = pytest.mark.xdist_group("deploy")

MINORS = ("v1.32.0", "v1.37.0")
DEFINITIONS = "/api/_definitions.json"
CRDS = Path(__file__).resolve().parents[3] / "shared" / "data" / "crds"
CUSTOM = frozenset(
    {
        "postgresql.cnpg.io/v1",
        "barmancloud.cnpg.io/v1",
        "monitoring.coreos.com/v1",
        "keda.sh/v1alpha1",
        "gateway.networking.k8s.io/v1",
        "external-secrets.io/v1",
    }
)


@cache
def kubernetes(minor: str, file: str) -> jsonschema.protocols.Validator:
    """The strict schema of one kind."""
    folder = resources.files("kubernetes_validate") / "kubernetes-json-schema" / f"{minor}-local-strict"
    schema = json.loads((folder / file).read_text())
    return jsonschema.Draft7Validator(schema, registry=definitions(minor))


@cache
def definitions(minor: str) -> Registry[Any]:
    folder = resources.files("kubernetes_validate") / "kubernetes-json-schema" / f"{minor}-local-strict"
    shared = json.loads((folder / "_definitions.json").read_text())
    resource = DRAFT7.create_resource(shared)
    return Registry().with_resources([(DEFINITIONS, resource), (shared["$id"], resource)])


@cache
def custom() -> Mapping[tuple[str, str], jsonschema.protocols.Validator]:
    """Validators of the operators' kinds by group version and kind; empty where their definitions are not at hand."""
    found = {}
    for path in sorted(CRDS.glob("*.yaml")):
        for definition in filter(None, yaml.load_all(path.read_text(), yaml.CSafeLoader)):
            spec = definition["spec"]
            for version in spec["versions"]:
                key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
                found[key] = jsonschema.Draft7Validator(closed(version["schema"]["openAPIV3Schema"]))
    return found


def closed(node: Any, *, is_root: bool = True) -> Any:
    """The schema with unknown fields refused, which the API server would drop in silence."""
    if isinstance(node, list):
        return [closed(item, is_root=False) for item in node]
    if not isinstance(node, dict):
        return node
    result = {
        key: {name: closed(child, is_root=False) for name, child in value.items()}
        if key == "properties"
        else closed(value, is_root=False)
        for key, value in node.items()
    }
    opened = node.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in node
    if "properties" in result and not opened:
        if is_root:
            result["properties"] |= {"metadata": {"type": "object"}}
        result["additionalProperties"] = False
    return result


def file_of(manifest: Manifest) -> str:
    group, _, version = manifest["apiVersion"].rpartition("/")
    prefix = f"{group.partition('.')[0]}-" if group else ""
    return f"{manifest['kind'].lower()}-{prefix}{version}.json"


def problems(manifest: Manifest, validator: jsonschema.protocols.Validator) -> list[str]:
    name = f"{manifest['kind']} {manifest['metadata']['name']}"
    return [f"{name}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(manifest)]


@pytest.mark.parametrize("name", SETS)
def test_the_linter_has_nothing_to_say(name: str) -> None:
    report = helm.lint(CHART, values_of(name), strict=True, namespace="ns")
    # 1 is information: the icon is missing.
    assert [message for message in report["messages"] if message["severity"] > 1] == []
    assert report["errors"] == []


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("name", SETS)
def test_kubernetes_accepts_every_object(name: str, minor: str) -> None:
    built_in = [one for one in rendered(name) if one["apiVersion"] not in CUSTOM]
    assert [found for one in built_in for found in problems(one, kubernetes(minor, file_of(one)))] == []


@pytest.mark.parametrize("name", SETS)
def test_the_operators_accept_every_object_of_theirs(name: str) -> None:
    theirs = [one for one in rendered(name) if one["apiVersion"] in CUSTOM]
    known = custom()
    validated = [one for one in theirs if (one["apiVersion"], one["kind"]) in known]
    assert [found for one in validated for found in problems(one, known[one["apiVersion"], one["kind"]])] == []
    foreign = {"ExternalSecret"}
    assert not known or len(validated) == len([one for one in theirs if one["kind"] not in foreign])


def test_the_full_set_has_every_kind_that_the_chart_can_make() -> None:
    templates = "\n".join(path.read_text() for path in (CHART / "templates").rglob("*.yaml"))
    templates += "\n".join(path.read_text() for path in (CHART / "templates").glob("_*.tpl"))
    kinds = {line.removeprefix("kind: ") for line in templates.splitlines() if line.startswith("kind: ")}
    made = {one["kind"] for name in SETS for one in rendered(name)}
    assert kinds <= made


@pytest.mark.parametrize("name", SETS)
def test_names_are_unique_and_short_enough_for_a_label(name: str) -> None:
    names = [(one["apiVersion"], one["kind"], one["metadata"]["name"]) for one in rendered(name)]
    assert len(names) == len(set(names))
    assert max(len(found) for _, _, found in names) <= 63


def test_a_route_of_the_gateway_api_lets_an_export_take_its_time() -> None:
    """The time-out of a route ends a response that is still being sent."""
    route = {"enabled": True, "parentRefs": [{"name": "public"}]}
    manifests = render(merged(KEYS, nested("urls.api", "https://id.example.com"), nested("api.httpRoute", route)))
    brief, long = of_kind(manifests, "HTTPRoute")[0]["spec"]["rules"]
    assert [match["path"]["value"] for match in long["matches"]] == ["/account/export", "/api/v1/export"]
    assert brief["timeouts"]["request"] == "20s"
    assert int(long["timeouts"]["request"].removesuffix("s")) > ApiSettings.model_fields["export_timeout_s"].default


def test_services_of_two_families_where_it_is_said() -> None:
    services = of_kind(render(merged(KEYS, nested("ipFamilyPolicy", "PreferDualStack"))), "Service")
    assert {one["spec"]["ipFamilyPolicy"] for one in services} == {"PreferDualStack"}


def test_default_values_need_the_postgresql_operator_only_and_external_services_none() -> None:
    default = {one["apiVersion"] for one in rendered("default")} & CUSTOM
    external = {one["apiVersion"] for one in rendered("external")} & CUSTOM
    assert default == {"postgresql.cnpg.io/v1"}
    # The example of External Secrets is the set's own.
    assert external == {"external-secrets.io/v1"}


def test_the_index_of_charts_is_told_every_image() -> None:
    annotations = yaml.safe_load((CHART / "Chart.yaml").read_text())["annotations"]
    told = {entry["image"] for entry in yaml.safe_load(annotations["artifacthub.io/images"])}
    made = rendered("default")
    pods = {
        container["image"]
        for template in pod_templates(made).values()
        for container in (*template["spec"].get("initContainers", []), *template["spec"]["containers"])
    }
    assert told == pods | {cluster["spec"]["imageName"] for cluster in of_kind(made, "Cluster")}
