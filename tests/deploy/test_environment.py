"""What pods are told is what their programs can start with: settings are read from the rendered environment."""

import base64
import re
import tomllib
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from psycopg.conninfo import conninfo_to_dict
from pydantic_settings import BaseSettings

from tests.deploy.rendering import (
    CHART,
    KEYS,
    SETS,
    Manifest,
    environment,
    merged,
    nested,
    of_kind,
    pod_templates,
    render,
    rendered,
    values_of,
)
from threengram.api.settings import Settings as ApiSettings
from threengram.cimd.settings import Settings as CimdSettings
from threengram.embedder.settings import Settings as EmbedderSettings
from threengram.gateway.settings import Settings as GatewaySettings
from threengram.migrations.manage import Settings as ManageSettings
from threengram.migrations.settings import Settings as MigrationsSettings
from threengram.migrations.trial import Settings as TrialSettings
from threengram.worker.settings import BeatSettings
from threengram.worker.settings import Settings as WorkerSettings

pytestmark = pytest.mark.xdist_group("deploy")

SETTINGS: Mapping[str, type[BaseSettings]] = {
    "gateway": GatewaySettings,
    "api": ApiSettings,
    "embedder": EmbedderSettings,
    "worker": WorkerSettings,
    "beat": BeatSettings,
    "cimd": CimdSettings,
    "migrations": MigrationsSettings,
    "keys": ManageSettings,
    "test": TrialSettings,
}


def program(owner: str, template: Manifest) -> str:
    component = str(template["metadata"]["labels"]["app.kubernetes.io/component"]).partition("-")[0]
    return "keys" if "-keys-" in owner else component


def resolved(template: Manifest, secrets: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """The variables as the kubelet would give them; what an existing Secret holds is any text."""
    found: dict[str, str] = {}
    for name, variable in environment(template).items():
        source: Mapping[str, Any] = variable.get("valueFrom", {})
        if "secretKeyRef" in source:
            reference = source["secretKeyRef"]
            found[name] = secrets.get((reference["name"], reference["key"]), "from-a-secret-of-theirs")
        elif source:
            found[name] = "pod-0"
        else:
            found[name] = re.sub(r"\$\((\w+)\)", lambda match: found[match[1]], variable["value"])
    return found


@pytest.mark.parametrize("name", SETS)
def test_every_program_reads_its_settings_from_what_is_rendered(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    manifests = rendered(name)
    secrets = {
        (one["metadata"]["name"], key): base64.b64decode(value).decode()
        for one in of_kind(manifests, "Secret")
        for key, value in one["data"].items()
    }
    read = {}
    for owner, template in pod_templates(manifests).items():
        if "valkey" in owner:
            continue
        with monkeypatch.context() as context:
            for variable, value in resolved(template, secrets).items():
                context.setenv(variable, value)
            read[owner] = SETTINGS[program(owner, template)].model_validate({})
    assert {program(owner, template) for owner, template in pod_templates(manifests).items()} - {"valkey"} <= set(
        SETTINGS
    )
    assert len(read) >= 9


def test_a_password_of_any_characters_leads_to_the_same_database() -> None:
    """A vault makes passwords as it likes, and libpq reads a URL as one."""
    password = "p@ss/w:rd?#%41 [x]"
    roles = {role: {"existingSecret": "vault"} for role in ("owner", "runtime")}
    manifests = render(merged(KEYS, nested("database.roles", roles)))
    asked = set()
    for template in pod_templates(manifests).values():
        found = resolved(template, {("vault", "password"): password})
        for name in found.keys() & {name for name in found if name.endswith(("_DATABASE_URL", "_OWNER_URL"))}:
            parts = conninfo_to_dict(found[name])
            asked.add((parts["user"], parts["host"], parts.get("password", found["PGPASSWORD"])))
    assert asked == {
        ("threengram_runtime", "memory-threengram-db-pooler", password),
        ("threengram_owner", "memory-threengram-db-rw", password),
    }


def test_services_reach_each_other_by_names_of_services_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    manifests = rendered("default")
    services = {one["metadata"]["name"]: one["spec"]["ports"][0]["port"] for one in of_kind(manifests, "Service")}
    made_by_the_operator = {"memory-threengram-db-rw", "memory-threengram-db-pooler"}
    for template in pod_templates(manifests).values():
        for variable in environment(template).values():
            for host, port in re.findall(r"(?:://|@)(memory-[a-z0-9-]+):(\d+)", variable.get("value", "")):
                assert host in made_by_the_operator or services[host] == int(port), variable["name"]


def test_the_chart_runs_the_images_of_its_own_version() -> None:
    workspace = tomllib.loads((CHART.parents[1] / "pyproject.toml").read_text())
    about = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert about["appVersion"] == about["version"] == workspace["project"]["version"]


@pytest.mark.parametrize(
    ("values", "prepares", "followed"),
    [
        ({}, False, "0"),
        (nested("database.pooler.preparedStatements", True), True, "200"),
        (nested("database.pooler.enabled", False), True, None),
    ],
    ids=["a pooler", "a pooler that follows", "no pooler"],
)
def test_services_prepare_statements_where_they_are_followed(
    values: Mapping[str, Any], prepares: bool, followed: str | None
) -> None:
    manifests = render(merged(values_of("default"), values))
    poolers = of_kind(manifests, "Pooler")
    assert [one["spec"]["pgbouncer"]["parameters"]["max_prepared_statements"] for one in poolers] == (
        [] if followed is None else [followed]
    )
    prepared = {
        variable
        for template in pod_templates(manifests).values()
        for variable in environment(template)
        if variable.endswith("_DATABASE_PREPARED_STATEMENTS")
    }
    assert prepared == {
        f"THREENGRAM_{service}_DATABASE_PREPARED_STATEMENTS" for service in ("GATEWAY", "API", "WORKER") if prepares
    }
