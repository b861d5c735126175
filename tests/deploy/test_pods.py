"""What holds for every pod, whatever the values: the restricted standard, probes, resources, one image each."""

import pytest

from tests.deploy.rendering import (
    KEYS,
    PREFIX,
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
    values_of,
)

pytestmark = pytest.mark.xdist_group("deploy")

RESTRICTED_VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected",
                      "secret"}  # fmt: skip
ADMIN_PORTS = {"gateway": 8320, "api": 8321, "embedder": 8322, "cimd": 8323, "worker": 8324, "beat": 8325}


def restricted_violations(owner: str, template: Manifest) -> list[str]:
    """What the restricted Pod Security Standard forbids, and a little more."""
    spec = template["spec"]
    pod = spec["securityContext"]
    found = [f"{owner}: {name}" for name in ("hostNetwork", "hostPID", "hostIPC", "hostUsers") if name in spec]
    if pod["seccompProfile"] != {"type": "RuntimeDefault"} or not pod["runAsNonRoot"] or pod["runAsUser"] < 1:
        found.append(f"{owner}: security context of the pod")
    if spec.get("automountServiceAccountToken") is not False or spec["enableServiceLinks"] is not False:
        found.append(f"{owner}: knows of the cluster")
    found += [
        f"{owner}: volume {volume['name']}"
        for volume in spec["volumes"]
        if not set(volume) - {"name"} <= RESTRICTED_VOLUMES
    ]
    for container in [*spec.get("initContainers", ()), *spec["containers"]]:
        context = container["securityContext"]
        if (
            context["allowPrivilegeEscalation"]
            or not context["readOnlyRootFilesystem"]
            or not context["runAsNonRoot"]
            or context["capabilities"] != {"drop": ["ALL"]}
            or "privileged" in context
        ):
            found.append(f"{owner}: security context of {container['name']}")
        resources = container["resources"]
        if not {"cpu", "memory"} <= resources["requests"].keys() or "memory" not in resources["limits"]:
            found.append(f"{owner}: resources of {container['name']}")
    return found


@pytest.mark.parametrize("name", SETS)
def test_every_pod_satisfies_the_restricted_standard(name: str) -> None:
    templates = pod_templates(rendered(name))
    assert [found for owner, template in templates.items() for found in restricted_violations(owner, template)] == []


@pytest.mark.parametrize("name", SETS)
def test_no_service_account_brings_a_token_and_every_pod_has_one_of_its_own(name: str) -> None:
    manifests = rendered(name)
    accounts = {one["metadata"]["name"]: one for one in of_kind(manifests, "ServiceAccount")}
    assert all(one["automountServiceAccountToken"] is False for one in accounts.values())
    used = {owner: template["spec"]["serviceAccountName"] for owner, template in pod_templates(manifests).items()}
    assert set(used.values()) == set(accounts)
    services = [account for owner, account in used.items() if not owner.startswith("Job")]
    assert len(services) == len(set(services))
    assert of_kind(manifests, "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding") == []


@pytest.mark.parametrize("name", SETS)
def test_every_pod_runs_the_one_image_of_its_service(name: str) -> None:
    expected = {"beat": "worker", "test": "migrations"}
    for owner, template in pod_templates(rendered(name)).items():
        component = template["metadata"]["labels"]["app.kubernetes.io/component"].partition("-")[0]
        image = template["spec"]["containers"][0]["image"]
        if component != "valkey":
            assert f"threengram/{expected.get(component, component)}" in image, owner
        assert template["spec"].get("initContainers") is None
        assert ":latest" not in image


@pytest.mark.parametrize("name", SETS)
def test_probes_ask_the_admin_port_and_liveness_does_no_input_or_output(name: str) -> None:
    for deployment in of_kind(rendered(name), "Deployment"):
        container = deployment["spec"]["template"]["spec"]["containers"][0]
        component = deployment["metadata"]["labels"]["app.kubernetes.io/component"].partition("-")[0]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        assert ports["admin"] == ADMIN_PORTS[component]
        paths = {kind: container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")}
        assert paths == {
            "startup": {"path": "/readyz", "port": "admin"},
            "liveness": {"path": "/livez", "port": "admin"},
            "readiness": {"path": "/readyz", "port": "admin"},
        }
        startup = container["startupProbe"]
        assert startup["periodSeconds"] * startup["failureThreshold"] >= 300


@pytest.mark.parametrize("name", SETS)
def test_a_pod_that_stops_serves_first_and_has_time_to_finish(name: str) -> None:
    for deployment in of_kind(rendered(name), "Deployment"):
        spec = deployment["spec"]["template"]["spec"]
        pause_s = spec["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
        assert pause_s >= 5
        assert spec["terminationGracePeriodSeconds"] >= pause_s + 20 + 5
        assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}


def test_a_longer_grace_of_the_service_makes_a_longer_grace_of_the_pod() -> None:
    values = merged(KEYS, nested("gateway.settings.shutdownGraceS", 45.5))
    spec = named(render(values), "Deployment", "gateway")["spec"]["template"]["spec"]
    assert spec["terminationGracePeriodSeconds"] == 5 + 46 + 10


def test_replicas_are_spread_and_disruptions_limited() -> None:
    manifests = rendered("default")
    budgets = {one["metadata"]["name"]: one["spec"] for one in of_kind(manifests, "PodDisruptionBudget")}
    for name in ("gateway", "api", "embedder", "cimd", "worker-default"):
        deployment = named(manifests, "Deployment", name)["spec"]
        budget = budgets[f"{PREFIX}-{name}"]
        assert budget["selector"] == deployment["selector"]
        assert budget["maxUnavailable"] == 1
        keys = [spread["topologyKey"] for spread in deployment["template"]["spec"]["topologySpreadConstraints"]]
        assert keys == ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]


def test_autoscaling_owns_the_number_of_replicas() -> None:
    full = rendered("full")
    scaled = {one["spec"]["scaleTargetRef"]["name"] for one in of_kind(full, "ScaledObject")}
    external = rendered("external")
    scaled_by_hpa = {one["spec"]["scaleTargetRef"]["name"] for one in of_kind(external, "HorizontalPodAutoscaler")}
    assert scaled == {f"{PREFIX}-{name}" for name in ("gateway", "api", "embedder", "cimd", "worker-default",
                                                     "worker-consolidate")}  # fmt: skip
    assert scaled_by_hpa == {f"{PREFIX}-gateway", f"{PREFIX}-api"}
    for manifests, names in ((full, scaled), (external, scaled_by_hpa)):
        for deployment in of_kind(manifests, "Deployment"):
            assert ("replicas" in deployment["spec"]) is (deployment["metadata"]["name"] not in names)
    zero = {one["metadata"]["name"] for one in of_kind(full, "ScaledObject") if one["spec"]["minReplicaCount"] == 0}
    assert zero == {f"{PREFIX}-worker-consolidate", f"{PREFIX}-cimd"}


def test_only_the_owner_s_jobs_know_the_owner_and_only_api_signs() -> None:
    for name in SETS:
        for owner, template in pod_templates(rendered(name)).items():
            variables = environment(template)
            component = template["metadata"]["labels"]["app.kubernetes.io/component"]
            text = str(variables)
            if component not in {"migrations"}:
                assert "OWNER" not in text, owner
                assert "threengram-owner" not in text, owner
            signs = any(variable.endswith("_SIGNING_KEY") for variable in variables)
            assert signs == (component == "api" or "-keys-" in owner), owner


def test_what_pods_have_in_common_is_overridden_by_a_component() -> None:
    manifests = rendered("full")
    gateway = named(manifests, "Deployment", "gateway")["spec"]["template"]
    assert gateway["spec"]["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"] == 15
    assert [container["name"] for container in gateway["spec"]["containers"]] == ["gateway", "agent"]
    assert gateway["spec"]["containers"][0]["image"].startswith("registry.example.com/threengram/gateway@sha256:")
    api = named(manifests, "Deployment", "api")
    assert api["metadata"]["annotations"] == {"reviewed": "yes"}
    for owner, template in pod_templates(manifests).items():
        assert template["spec"]["priorityClassName"] == "business", owner
        assert template["metadata"]["labels"]["cost-centre"] == "memory", owner


def test_the_pooler_runs_where_the_pods_run_and_from_the_registry_that_is_said() -> None:
    placed = {
        "nodeSelector": {"kubernetes.io/arch": "arm64"},
        "tolerations": [{"key": "dedicated", "operator": "Exists"}],
        "priorityClassName": "high",
    }
    image = "registry.example.com/pgbouncer:1.24"
    values = merged(
        nested("pods", placed), nested("image.pullSecrets", ["pull"]), nested("database.pooler.image", image)
    )
    spec = named(render(merged(KEYS, values)), "Pooler", "db-pooler")["spec"]["template"]["spec"]
    assert {name: spec[name] for name in placed} == placed
    assert (spec["imagePullSecrets"], spec["containers"][0]["image"]) == ([{"name": "pull"}], image)


def test_a_change_of_a_secret_by_hand_replaces_pods_when_it_is_said() -> None:
    plain = merged(values_of("external"))
    before, after = render(plain), render(merged(plain, nested("secrets.revision", "2026-03")))
    changed = [
        one["metadata"]["name"]
        for one, other in zip(of_kind(before, "Deployment"), of_kind(after, "Deployment"), strict=True)
        if one["spec"]["template"] != other["spec"]["template"]
    ]
    assert len(changed) == len(of_kind(before, "Deployment"))
