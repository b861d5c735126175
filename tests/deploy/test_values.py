"""Values: each documented, each setting of each service within reach, and what is generated up to date."""

import base64
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives import serialization
from pydantic_settings import BaseSettings

from tests.deploy.rendering import (
    CHART,
    KEYS,
    SETS,
    Manifest,
    environment,
    merged,
    named,
    nested,
    of_kind,
    pod_templates,
    render,
    rendered,
)
from threengram.core.cursor import CursorSealer
from threengram.core.oauth.signing import private_keys
from threengram.migrations.manage import Settings as ManageSettings
from threengram.migrations.trial import Settings as TrialSettings
from threengram.worker.settings import BeatSettings

pytestmark = pytest.mark.xdist_group("deploy")

HELD_BY_THE_IMAGE = {
    "LISTEN_FD": "sockets are inherited from a supervisor on the same machine only",
    "ADMIN_LISTEN_FD": "sockets are inherited from a supervisor on the same machine only",
    "PORT": "the chart's ports are the defaults; Services map them",
    "ADMIN_PORT": "the chart's ports are the defaults; PodMonitors find them by name",
}


@cache
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("charts_generate", CHART.parent / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def values() -> list[Any]:
    found: list[Any] = generator().read((CHART / "values.yaml").read_text())
    return found


def variables(settings: type[BaseSettings]) -> set[str]:
    """The names of a settings class's variables, without its prefix."""
    return {name.upper() for name in settings.model_fields}


def classes() -> dict[str, type[BaseSettings]]:
    """The settings class behind each prefix."""
    return {
        str(settings.model_config["env_prefix"]): settings
        for settings in (*generator().SERVICES.values(), TrialSettings)
    }


def set_by_the_chart(manifests: list[Manifest]) -> Iterator[tuple[str, str]]:
    """Prefix and name of every variable of ours that any container gets."""
    for template in pod_templates(manifests).values():
        for name in environment(template):
            if name.startswith("THREENGRAM_"):
                service, _, setting = name.removeprefix("THREENGRAM_").partition("_")
                yield f"THREENGRAM_{service}_", setting


def test_the_schema_and_the_readme_are_those_of_the_values() -> None:
    stale = [name for name, text in generator().pages().items() if (CHART / name).read_text() != text]
    assert stale == [], "run `make docs-reference`"


def test_every_value_is_documented() -> None:
    def silent(level: list[Any]) -> Iterator[str]:
        for value in level:
            if value.children:
                yield from silent(list(value.children))
            elif not value.text and not value.path.startswith("workers."):
                yield value.path

    assert [*silent(values())] == []


def test_every_object_of_the_schema_is_closed_or_a_map_of_plain_texts() -> None:
    free = {"global", "extraObjects"}

    def opened(node: Any, path: str) -> Iterator[str]:
        if isinstance(node, list):
            for item in node:
                yield from opened(item, path)
        elif isinstance(node, Mapping):
            kinds = node.get("type", ())
            is_object = "object" in (kinds if isinstance(kinds, list) else [kinds])
            if is_object and node.get("additionalProperties", True) is True:
                yield path
            for key, child in node.items():
                yield from opened(child, f"{path}.{key}")

    schema = yaml.safe_load((CHART / "values.schema.json").read_text())
    found = {path for path in opened(schema, "") if path.split(".")[2] not in free}
    # Kubernetes leaves the parameters of volumes that other drivers make to those drivers.
    assert {path for path in found if not path.startswith(".definitions.api")} == set()


@pytest.mark.parametrize("name", SETS)
def test_every_variable_that_the_chart_sets_is_a_setting(name: str) -> None:
    known = {prefix: variables(settings) for prefix, settings in classes().items()}
    unknown = {(prefix, setting) for prefix, setting in set_by_the_chart(rendered(name))
               if setting not in known[prefix]}  # fmt: skip
    assert unknown == set()


def test_every_setting_of_every_service_is_within_reach_of_the_values() -> None:
    by_the_chart: dict[str, set[str]] = {}
    for name in SETS:
        for prefix, setting in set_by_the_chart(rendered(name)):
            by_the_chart.setdefault(prefix, set()).add(setting)
    for service, settings in generator().SERVICES.items():
        prefix = str(settings.model_config["env_prefix"])
        by_name = {snake(value).upper() for value in generator().settings_of(service)}
        missing = variables(settings) - by_name - by_the_chart[prefix] - HELD_BY_THE_IMAGE.keys()
        assert missing - ({"HOST"} if service == "worker" else set()) == set(), service
    assert variables(BeatSettings) == variables(generator().SERVICES["worker"])
    assert variables(ManageSettings) <= variables(TrialSettings)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def sample(schema: Mapping[str, Any]) -> Any:
    """A value that the schema of a setting takes; None where only the service knows."""
    match schema:
        case {"enum": [first, *_]}:
            return first
        case {"type": "integer" | "number"}:
            whole = {"integer": 1_234_567, "number": 2.5}[schema["type"]]
            return max(schema.get("minimum", 0), min(schema.get("maximum", whole), whole))
        case {"type": "boolean"}:
            return True
        case {"type": "array", "items": {"type": "string"}}:
            return ["a", "b"]
        case {"type": "array"}:
            return [{"provider": "hash"}]
        case {"type": "string"} if "pattern" not in schema:
            return "x"
        case _:
            return None


def text_of(value: Any) -> str:
    match value:
        case True:
            return "true"
        case [{}, *_]:
            return json.dumps(value, separators=(",", ":"))
        case [*parts]:
            return ",".join(parts)
        case _:
            return str(value)


@pytest.mark.parametrize("service", ["gateway", "api", "embedder", "worker", "cimd", "migrations"])
def test_each_setting_arrives_under_its_name_as_the_service_reads_it(service: str) -> None:
    settings = generator().settings_of(service)
    samples = {name: sample(schema) for name, (schema, is_secret, _) in settings.items() if not is_secret}
    given = {name: value for name, value in samples.items() if value is not None}
    secret = {name: {"secret": "s", "key": "k"} for name, (_, is_secret, _) in settings.items() if is_secret}
    owner = {"worker": "workerDefaults"}.get(service, service)
    manifests = render(merged(KEYS, nested(owner, {"settings": given, "secretSettings": secret})))
    kind, component = {"worker": ("Deployment", "worker-default"), "migrations": ("Job", "migrate-1")}.get(
        service, ("Deployment", service)
    )
    found = environment(named(manifests, kind, component)["spec"]["template"])
    prefix = str(generator().SERVICES[service].model_config["env_prefix"])
    arrived = {name: found[prefix + snake(name).upper()]["value"] for name in given}
    assert arrived == {name: text_of(value) for name, value in given.items()}
    assert len(given) > len(samples) / 2
    assert all("secretKeyRef" in found[prefix + snake(name).upper()]["valueFrom"] for name in secret)


@pytest.mark.parametrize("name", SETS)
def test_every_secret_that_a_pod_reads_is_made_or_named_by_the_values(name: str) -> None:
    manifests = rendered(name)
    made = {one["metadata"]["name"]: set(one["data"]) for one in of_kind(manifests, "Secret")}
    text = (CHART / "ci" / f"{name}-values.yaml").read_text() if name != "default" else ""
    for owner, template in pod_templates(manifests).items():
        for variable in environment(template).values():
            reference = variable.get("valueFrom", {}).get("secretKeyRef")
            if reference is None or reference["name"] in (text + "signing"):
                continue
            assert reference["key"] in made[reference["name"]], (owner, variable["name"])


def test_the_secrets_that_the_chart_makes_are_what_the_services_read() -> None:
    secrets = {
        one["metadata"]["name"]: {key: base64.b64decode(value).decode() for key, value in one["data"].items()}
        for one in of_kind(rendered("default"), "Secret")
    }
    (key,) = private_keys(secrets["memory-threengram-signing-key"]["signing-key.pem"])
    assert serialization.load_pem_private_key(key.as_pem(private=True), None) is not None
    CursorSealer.from_text(secrets["memory-threengram-cursor-key"]["cursor-key"])
    assert len(base64.urlsafe_b64decode(secrets["memory-threengram-cursor-key"]["cursor-key"] + "=")) == 32
    for role in ("owner", "runtime"):
        assert secrets[f"memory-threengram-db-threengram-{role}"]["username"] == f"threengram_{role}"
        assert re.fullmatch(r"[A-Za-z0-9]{40}", secrets[f"memory-threengram-db-threengram-{role}"]["password"])


def test_the_head_of_the_readme_names_values_that_are_there() -> None:
    known = {leaf.path for value in values() for leaf in value.leaves()}
    known |= {
        f"{service}.settings.{name}" for service in generator().SERVICES for name in generator().settings_of(service)
    }
    roots = {path.partition(".")[0] for path in known}
    said = re.findall(r"`([a-z][A-Za-z]*(?:\.[A-Za-z]+)+)`", (CHART.parent / "readme.head.md").read_text())
    assert [path for path in said if path.partition(".")[0] in roots and path not in known] == []
