"""What an upgrade may change and what it must not: selectors, Secrets, volumes; and which Jobs it brings."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.cluster import cluster
from tests.deploy.rendering import (
    KEYS,
    NAMESPACE,
    PREFIX,
    RELEASE,
    SETS,
    Manifest,
    chart,
    environment,
    merged,
    named,
    nested,
    objects,
    of_kind,
    render,
    rendered,
    values_of,
)

pytestmark = pytest.mark.xdist_group("deploy")

SNAPSHOT = Path(__file__).parent / "immutable.json"
NEXT = merged(KEYS, nested("image.tag", "0.2.0"))


def immutable(manifests: Sequence[Manifest]) -> dict[str, Any]:
    """What Kubernetes refuses to change in place, or what would orphan data: by kind and name."""
    found: dict[str, Any] = {}
    for one in manifests:
        name = f"{one['kind']} {one['metadata']['name']}"
        spec = one.get("spec", {})
        match one["kind"]:
            case "Deployment" | "PodDisruptionBudget":
                found[name] = spec["selector"]
            case "StatefulSet":
                found[name] = [spec["selector"], spec["serviceName"], spec.get("volumeClaimTemplates")]
            case "Secret":
                found[name] = [one["type"], sorted(one["data"])]
            case "Service":
                found[name] = [spec["selector"], spec.get("type", "ClusterIP")]
            case "Cluster":
                found[name] = [spec["bootstrap"], spec["storage"], one["metadata"]["annotations"]]
            case "Pooler":
                found[name] = [spec["cluster"], spec["type"]]
    return found


@pytest.mark.parametrize("name", SETS)
def test_what_can_not_change_in_place_is_as_it_was_released(name: str) -> None:
    """To change it on purpose, write how to upgrade and replace the entry of `immutable.json`."""
    assert immutable(rendered(name)) == json.loads(SNAPSHOT.read_text())[name]


def test_an_upgrade_changes_images_and_brings_jobs_and_nothing_else() -> None:
    before = {(one["kind"], one["metadata"]["name"]): one for one in render(KEYS, is_install=True)}
    after = {(one["kind"], one["metadata"]["name"]): one for one in render(NEXT, is_upgrade=True, revision=2)}
    jobs = {kind for kind, _ in before.keys() ^ after.keys()}
    assert jobs == {"Job"}
    changed = {
        (kind, path)
        for key in before.keys() & after.keys()
        for kind, path in [(key[0], path) for path in differences(before[key], after[key])]
    }
    assert changed == {
        *((kind, "spec.template.spec.containers.0.image") for kind in ("Deployment",)),
        ("Pod", "spec.containers.0.image"),
        *(("Secret", f"data.{key}") for key in ("cursor-key", "password")),
    }


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """The paths at which two objects differ."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        keys = one.keys() | other.keys()
        return [found for key in keys for found in differences(one.get(key), other.get(key), f"{path}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            found
            for number, (mine, theirs) in enumerate(zip(one, other, strict=True))
            for found in differences(mine, theirs, f"{path}.{number}")
        ]
    return [] if one == other else [path.lstrip(".")]


def test_secrets_are_the_same_after_every_upgrade() -> None:
    installed = {one["metadata"]["name"]: one for one in of_kind(rendered("default"), "Secret")}
    with cluster(installed) as config:
        again = [*objects(config.render(chart(), {}, name=RELEASE, namespace=NAMESPACE, is_upgrade=True, revision=2))]
    assert {one["metadata"]["name"]: one["data"] for one in of_kind(again, "Secret")} == {
        name: one["data"] for name, one in installed.items()
    }


def test_a_secret_that_was_emptied_or_lost_a_key_is_completed_and_no_error() -> None:
    name = f"{PREFIX}-db-threengram-owner"
    broken: dict[str, dict[str, Any]] = {
        name: {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": {"username": "bWU="}},
        f"{PREFIX}-valkey": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"{PREFIX}-valkey"}},
    }
    with cluster(broken) as config:
        again = [*objects(config.render(chart(), KEYS, name=RELEASE, namespace=NAMESPACE, is_upgrade=True))]
    secrets = {one["metadata"]["name"]: one["data"] for one in of_kind(again, "Secret")}
    assert secrets[name]["username"] == "bWU="
    assert secrets[name]["password"]
    assert secrets[f"{PREFIX}-valkey"]["password"]


def test_what_holds_data_outlives_the_release() -> None:
    kept = {
        (one["kind"], one["metadata"]["name"])
        for one in rendered("default")
        if one["metadata"].get("annotations", {}).get("helm.sh/resource-policy") == "keep"
    }
    assert {kind for kind, _ in kept} == {"Secret", "Cluster"}
    assert len(kept) == 1 + len(of_kind(rendered("default"), "Secret"))


def test_migrations_are_jobs_of_their_revision_and_hooks_with_an_external_database_only() -> None:
    inside = render(KEYS, is_upgrade=True, revision=7)
    assert {one["metadata"]["name"]: hook(one) for one in of_kind(inside, "Job")} == {
        f"{PREFIX}-migrate-7": None,
        f"{PREFIX}-index-7": None,
        f"{PREFIX}-keys-7": None,
        f"{PREFIX}-contract-7": "post-upgrade",
    }
    outside = {one["metadata"]["name"].split("-")[2]: hook(one) for one in of_kind(rendered("external"), "Job")}
    assert outside == {"migrate": "pre-install,pre-upgrade", "index": None, "keys": None, "contract": "post-upgrade"}
    account = named(rendered("external"), "ServiceAccount", "migrations")
    assert hook(account) == "pre-install,pre-upgrade"
    assert hook(named(rendered("external"), "NetworkPolicy", "migrations")) == "pre-install,pre-upgrade"
    assert hook(named(inside, "NetworkPolicy", "migrations")) is None
    assert account["metadata"]["annotations"]["helm.sh/hook-weight"] == "-10"


def hook(one: Manifest) -> str | None:
    found: str | None = one["metadata"].get("annotations", {}).get("helm.sh/hook")
    return found


def test_jobs_named_by_their_content_are_new_when_and_only_when_they_do_something_new() -> None:
    values = values_of("external")

    def names(*changes: Mapping[str, Any], revision: int = 1) -> set[str]:
        jobs = of_kind(render(merged(values, *changes), revision=revision), "Job")
        return {one["metadata"]["name"] for one in jobs}

    assert names() == names(revision=2)
    assert names() == names(nested("gateway.replicas", 5))
    assert names().isdisjoint(names(nested("image.tag", "0.2.0")))
    assert names().isdisjoint(names(nested("commonLabels.team", "other")))


def test_a_password_changes_by_two_roles_that_take_turns() -> None:
    first = render(KEYS)
    values = merged(
        KEYS, nested("database.roles", {"runtime": {"name": "runtime_b"}, "retiring": "threengram_runtime"})
    )
    with cluster({one["metadata"]["name"]: one for one in of_kind(first, "Secret")}) as config:
        turning = [*objects(config.render(chart(), values, name=RELEASE, namespace=NAMESPACE, is_upgrade=True))]
    turned = render(
        merged(KEYS, nested("database.roles", {"runtime": {"name": "runtime_b"}, "retired": ["threengram_runtime"]}))
    )

    def roles(manifests: Sequence[Manifest]) -> dict[str, bool]:
        return {role["name"]: role["login"] for role in named(manifests, "Cluster", "db")["spec"]["managed"]["roles"]}

    assert roles(first) == {"threengram_owner": True, "threengram_runtime": True}
    assert roles(turning) == {"threengram_owner": True, "threengram_runtime": True, "runtime_b": True}
    assert roles(turned) == {"threengram_owner": True, "runtime_b": True, "threengram_runtime": False}
    data = {one["metadata"]["name"]: one["data"] for one in of_kind(turning, "Secret")}
    former = f"{PREFIX}-db-threengram-runtime"
    assert data[former] == named(first, "Secret", former.removeprefix(f"{PREFIX}-"))["data"]
    assert f"{PREFIX}-db-runtime-b" in data
    gateway = environment(named(turning, "Deployment", "gateway")["spec"]["template"])
    assert gateway["THREENGRAM_GATEWAY_DATABASE_URL"]["value"].startswith("postgresql://runtime_b@")
    assert gateway["PGPASSWORD"]["valueFrom"]["secretKeyRef"]["name"] == f"{PREFIX}-db-runtime-b"
    contract = environment(named(turned, "Job", "contract-1")["spec"]["template"])
    assert contract["THREENGRAM_MIGRATIONS_RETIRED_ROLES"]["value"] == "threengram_runtime"


def test_the_role_that_retires_keeps_the_password_that_its_pods_have() -> None:
    """Whoever brought its Secret has it no more in the values, and another password would end the pods of before."""
    brought = {"name": "runtime_b", "existingSecret": "from-a-vault"}
    turning = render(merged(KEYS, nested("database.roles", {"runtime": brought, "retiring": "threengram_runtime"})))
    (retiring,) = [
        role
        for role in named(turning, "Cluster", "db")["spec"]["managed"]["roles"]
        if role["name"] == "threengram_runtime"
    ]
    assert retiring == {"name": "threengram_runtime", "ensure": "present", "login": True}
    assert f"{PREFIX}-db-threengram-runtime" not in {one["metadata"]["name"] for one in of_kind(turning, "Secret")}


def test_the_first_of_several_signing_keys_is_published_and_then_activated_when_it_is_said() -> None:
    def does(values: Mapping[str, Any]) -> list[str]:
        job = named(render(values), "Job", "keys-1")["spec"]["template"]["spec"]["containers"][0]
        return [*job["command"], *job["args"]]

    manage = ["python3", "-m", "threengram.migrations.manage"]
    assert does(KEYS) == [*manage, "publish-key"]
    assert does(merged(KEYS, nested("secrets.signingKey.activate", True))) == [*manage, "activate-key"]


def test_pods_wait_for_the_schema_at_least_as_long_as_for_anything_else() -> None:
    for name in ("gateway", "api"):
        deployment = named(rendered("default"), "Deployment", name)
        variables = environment(deployment["spec"]["template"])
        wait_s = float(variables[f"THREENGRAM_{name.upper()}_STARTUP_TIMEOUT_S"]["value"])
        assert deployment["spec"]["progressDeadlineSeconds"] > wait_s
