"""skaffold.yaml: as far as can be said without Skaffold, what it names is there and the chart takes what it sets."""

import os
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from images.build import SERVICES
from tests.deploy.rendering import CHART, KEYS, merged, named, nested, of_kind, pod_templates, render, values_of

pytestmark = pytest.mark.xdist_group("deploy")

ROOT = CHART.parents[1]
TEXT = {"type": "string"}
TEXTS = {"type": "object", "additionalProperties": {"type": ["string", "boolean", "integer"]}}


def closed(required: str = "", /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": required.split(), "properties": properties}


HOOKS = closed(after={"type": "array", "items": closed("host", host=closed("command", command={"type": "array"}))})
RELEASE = closed(
    "name chartPath",
    name=TEXT,
    chartPath=TEXT,
    namespace=TEXT,
    createNamespace={"type": "boolean"},
    wait={"type": "boolean"},
    valuesFiles={"type": "array", "items": TEXT},
    setValueTemplates=TEXTS,
    setValues=TEXTS,
)
SCHEMA = closed(
    "apiVersion kind build deploy",
    apiVersion={"const": "skaffold/v4beta13"},
    kind={"const": "Config"},
    metadata=closed("name", name=TEXT),
    build=closed(
        "artifacts",
        tagPolicy=closed(inputDigest=closed()),
        local=closed(push={"type": "boolean"}, concurrency={"type": "integer"}),
        artifacts={
            "type": "array",
            "items": closed(
                "image custom",
                image=TEXT,
                custom=closed(
                    "buildCommand",
                    buildCommand=TEXT,
                    dependencies=closed("paths", paths={"type": "array", "items": TEXT}),
                ),
            ),
        },
    ),
    deploy=closed(
        statusCheckDeadlineSeconds={"type": "integer"},
        helm=closed("releases", releases={"type": "array", "items": RELEASE}, hooks=HOOKS),
    ),
    portForward={
        "type": "array",
        "items": closed(
            "resourceType resourceName port", resourceType={"const": "service"}, resourceName=TEXT, namespace=TEXT,
            port={"type": "integer"}, localPort={"type": "integer"},
        ),
    },
)  # fmt: skip
"""The part of Skaffold's schema that is used here; what is not in it is a mistake until it is added."""


def configuration(profile: str | None = None) -> dict[str, Any]:
    """The file, with the patches of a profile (JSON Patch, `add` to a map only) applied."""
    whole: dict[str, Any] = yaml.safe_load((ROOT / "skaffold.yaml").read_text())
    profiles = {one["name"]: one for one in whole.pop("profiles")}
    for patch in profiles[profile]["patches"] if profile else ():
        assert patch["op"] == "add"
        *parents, last = patch["path"].strip("/").split("/")
        target: Any = whole
        for step in parents:
            target = target[int(step)] if isinstance(target, list) else target[step]
        target[last] = deepcopy(patch["value"])
    return whole


@pytest.mark.parametrize("profile", [None, "dev", "ci"])
def test_the_file_is_what_skaffold_reads_with_each_profile(profile: str | None) -> None:
    jsonschema.Draft7Validator(SCHEMA).validate(configuration(profile))


def test_every_image_of_the_product_is_built_from_files_that_are_there() -> None:
    artifacts = configuration()["build"]["artifacts"]
    assert [artifact["image"] for artifact in artifacts] == [f"threengram/{service}" for service in SERVICES]
    for artifact in artifacts:
        program, service = artifact["custom"]["buildCommand"].split()
        assert f"threengram/{service}" == artifact["image"]
        assert os.access(ROOT / program, os.X_OK)
        missing = [path for path in artifact["custom"]["dependencies"]["paths"] if not (ROOT / path).exists()]
        assert missing == []


@pytest.mark.parametrize("profile", [None, "dev", "ci"])
def test_the_chart_takes_what_is_set_and_runs_the_images_that_were_built(profile: str | None) -> None:
    (release,) = configuration(profile)["deploy"]["helm"]["releases"]
    assert ROOT / release["chartPath"] == CHART
    assert [Path(path).name for path in release["valuesFiles"]] == ["minimal-values.yaml"]
    templates = {
        path: re.sub(r"{{\.IMAGE_(REPO|TAG)_(\w+)}}", r"\1-of-\2", text)
        for path, text in release["setValueTemplates"].items()
    }
    layers = [nested(path, value) for path, value in {**templates, **release.get("setValues", {})}.items()]
    manifests = render(merged(KEYS, values_of("minimal"), *layers))
    images = {
        template["spec"]["containers"][0]["image"]
        for owner, template in pod_templates(manifests).items()
        if "valkey" not in owner
    }
    built = {f"REPO-of-threengram_{service}:TAG-of-threengram_{service}" for service in SERVICES}
    assert images == (built if profile == "ci" else built - {image for image in built if "cimd" in image})


def test_ports_are_forwarded_to_services_of_the_chart_where_the_urls_say() -> None:
    manifests = render(merged(KEYS, values_of("minimal")))
    for forward in configuration()["portForward"]:
        component = forward["resourceName"].removeprefix("memory-threengram-")
        service = named(manifests, "Service", component)
        assert service["spec"]["ports"][0]["port"] == forward["port"] == forward["localPort"]
    assert {one["localPort"] for one in configuration()["portForward"]} == {8300, 8301}
    assert len(of_kind(manifests, "Service")) >= 2
