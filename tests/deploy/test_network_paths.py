"""The paths that rendered policies allow are those of the design, no more and no fewer, seen from either end."""

import itertools
from collections.abc import Iterable, Sequence

import pytest

from tests.deploy.network import Address, Network, Peer, Pod, pods_of
from tests.deploy.rendering import KEYS, PREFIX, SETS, Manifest, merged, nested, of_kind, render, rendered

pytestmark = pytest.mark.xdist_group("deploy")

DATABASE = Pod("db", {"cnpg.io/cluster": f"{PREFIX}-db", "cnpg.io/podRole": "instance"})
POOLER = Pod("pooler", {"cnpg.io/podRole": "pooler", "cnpg.io/poolerName": f"{PREFIX}-db-pooler"})
OPERATOR = Pod("operator", {"app.kubernetes.io/name": "cloudnative-pg"}, "cnpg-system")
MONITORING = Pod("monitoring", {"app.kubernetes.io/name": "prometheus"}, "monitoring")
NAME_SERVER = Pod("dns", {"k8s-app": "kube-dns"}, "kube-system")
STRANGER = Pod("stranger", {"app": "stranger"}, "elsewhere")
NEIGHBOUR = Pod("neighbour", {"app.kubernetes.io/name": "threengram", "app.kubernetes.io/instance": "other"})
"""In the same namespace, of another release."""

OTHERS = (OPERATOR, MONITORING, NAME_SERVER, STRANGER, NEIGHBOUR)
PORTS = (53, 443, 4318, 5432, 6379, 8000, 8300, 8301, 8302, 8303, 8320, 8321, 8322, 8323, 8324, 8325, 9127, 9187)
ADMIN = {"gateway": 8320, "api": 8321, "embedder": 8322, "cimd": 8323, "worker-default": 8324, "beat": 8325}
PUBLIC = {("gateway", 8300), ("api", 8301)}

Path = tuple[str, str, int]

DESIGN: frozenset[Path] = frozenset(
    {
        *(("gateway", peer, port) for peer, port in (("pooler", 5432), ("valkey", 6379), ("embedder", 8302))),
        *(("api", peer, port) for peer, port in (("pooler", 5432), ("valkey", 6379), ("embedder", 8302))),
        ("api", "cimd", 8303),
        *(("worker-default", peer, port) for peer, port in (("pooler", 5432), ("valkey", 6379), ("embedder", 8302))),
        *(("beat", peer, port) for peer, port in (("pooler", 5432), ("valkey", 6379))),
        ("migrations", "db", 5432),
        *(("test", peer, port) for peer, port in (("gateway", 8300), ("api", 8301), ("pooler", 5432))),
    }
)
"""Section 2 of the design between pods of the release; `test` is the pod of `helm test`."""

OF_THE_DATABASE: frozenset[Path] = frozenset(
    {("pooler", "db", 5432), ("operator", "db", 5432), ("operator", "db", 8000)}
)
OF_MONITORING: frozenset[Path] = frozenset(
    {*(("monitoring", name, port) for name, port in ADMIN.items()), ("monitoring", "db", 9187),
     ("monitoring", "pooler", 9127)}
)  # fmt: skip
LOOKS_UP = ("gateway", "api", "worker-default", "beat", "migrations", "test", "cimd")
UNLIMITED = ("db", "pooler", *(pod.name for pod in OTHERS))
"""Whose egress no policy limits: pods that are not ours, and those that need the API of Kubernetes."""


def paths(network: Network, pods: Sequence[Pod]) -> set[Path]:
    """Every allowed connection of one pod to another."""
    return {
        (source.name, target.name, port)
        for source, target, port in itertools.product(pods, pods, PORTS)
        if source != target and target not in OTHERS and network.allows(source, target, port)
    }


def within(network: Network, pods: Sequence[Pod], side: str) -> set[Path]:
    """What one end alone would allow between pods of the release."""
    consent = network.lets_out if side == "egress" else network.lets_in
    return {
        (source.name, target.name, port)
        for source, target, port in itertools.product(pods, pods, PORTS)
        if source != target and consent(source, target, port)
    }


def reached(network: Network, pod: Pod, addresses: Iterable[str], port: int = 443) -> set[str]:
    return {ip for ip in addresses if network.allows(pod, Address(ip), port)}


def test_the_matrix_of_pods_and_ports_is_that_of_the_design() -> None:
    manifests = rendered("default")
    pods = [*pods_of(manifests), DATABASE, POOLER, *OTHERS]
    to_the_public_face = {(source, target, port) for source in UNLIMITED for target, port in PUBLIC if source != target}
    expected = DESIGN | OF_THE_DATABASE | OF_MONITORING | to_the_public_face
    assert paths(Network.of(manifests), pods) == expected


def test_either_end_alone_allows_no_more_than_the_design_between_pods_of_the_release() -> None:
    manifests = rendered("default")
    network, ours = Network.of(manifests), pods_of(manifests)
    names = {pod.name for pod in ours}
    between = {path for path in DESIGN if path[1] in names}
    assert within(network, ours, "egress") == between
    to_the_public_face = {(pod.name, target, port) for pod in ours for target, port in PUBLIC if pod.name != target}
    assert within(network, ours, "ingress") == between | to_the_public_face


@pytest.mark.parametrize("protocol", ["UDP", "TCP"])
def test_who_calls_somebody_may_look_names_up_and_nobody_else(protocol: str) -> None:
    manifests = rendered("default")
    network = Network.of(manifests)
    asking = {pod.name for pod in pods_of(manifests) if network.allows(pod, NAME_SERVER, 53, protocol)}
    assert asking == set(LOOKS_UP)
    assert not any(network.allows(pod, STRANGER, 53, protocol) for pod in pods_of(manifests))


PUBLIC_ADDRESSES = ("1.1.1.1", "93.184.216.34", "2606:2800:220:1::1", "2a00:1450:4001::1", "100.63.0.1", "172.32.0.1")
NOT_PUBLIC = (
    *("10.0.0.1", "10.96.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "127.0.0.1"),
    *("169.254.169.254", "0.0.0.0", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1"),
    *("255.255.255.255", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"),
    *("2001:db8::1", "2001::1", "2002:a00:1::1", "3fff::1"),
)


def test_only_the_document_fetcher_reaches_the_internet_and_nothing_that_is_not_public() -> None:
    manifests = rendered("default")
    network = Network.of(manifests)
    for pod in pods_of(manifests):
        for port in (443, 8443):
            expected = set(PUBLIC_ADDRESSES) if pod.name == "cimd" else set()
            assert reached(network, pod, (*PUBLIC_ADDRESSES, *NOT_PUBLIC), port) == expected, pod.name


def test_public_addresses_of_the_cluster_are_kept_from_the_document_fetcher() -> None:
    manifests = rendered("full")
    (cimd,) = (pod for pod in pods_of(manifests) if pod.name == "cimd")
    addresses = ("203.0.112.5", "2a00:1234::5", "1.1.1.1", "2a00:1235::5")
    assert reached(Network.of(manifests), cimd, addresses) == {"1.1.1.1", "2a00:1235::5"}


def test_external_peers_are_reached_by_those_that_need_them_only() -> None:
    manifests = rendered("external")
    network, pods = Network.of(manifests), pods_of(manifests)
    database = {pod.name for pod in pods if network.allows(pod, Address("10.20.0.10"), 5432)}
    redis = {pod.name for pod in pods if network.allows(pod, Address("10.20.0.20"), 6379)}
    assert database == {"gateway", "api", "worker-default", "beat", "migrations", "test"}
    assert redis == {"gateway", "api", "worker-default", "beat"}
    assert not any(network.allows(pod, Address("10.20.0.10"), 443) for pod in pods)
    assert not any(network.allows(pod, Address("10.20.0.11"), 5432) for pod in pods)


def test_each_further_peer_is_for_the_component_that_it_was_given_to() -> None:
    manifests = rendered("full")
    network, pods = Network.of(manifests), {pod.name: pod for pod in pods_of(manifests)}
    collector = Pod("collector", {}, "observability")
    peers: dict[str, tuple[Peer, int]] = {
        "models": (Address("198.18.7.9"), 443),
        "llm": (Address("198.18.8.9"), 443),
        "collector": (collector, 4318),
    }
    found = {
        name: {pod.name for pod in pods.values() if network.allows(pod, peer, port)}
        for name, (peer, port) in peers.items()
    }
    services = {"gateway", "api", "embedder", "cimd", "beat", "worker-default", "worker-consolidate"}
    assert found == {"models": {"embedder"}, "llm": {"worker-consolidate"}, "collector": services}


def test_with_the_addresses_of_the_cluster_s_api_database_pods_are_limited_too() -> None:
    manifests = rendered("full")
    network = Network.of(manifests)
    addresses = ("198.18.1.1", "198.18.9.7", "1.1.1.1")
    assert reached(network, DATABASE, addresses) == {"198.18.1.1", "198.18.9.7"}
    assert reached(network, POOLER, addresses) == {"198.18.1.1"}
    assert network.allows(POOLER, DATABASE, 5432)
    assert not network.allows(DATABASE, STRANGER, 443)


def test_without_a_pooler_the_same_services_reach_the_database() -> None:
    manifests = rendered("minimal")
    network, pods = Network.of(manifests), pods_of(manifests)
    reaching = {pod.name for pod in [*pods, STRANGER, NEIGHBOUR] if network.allows(pod, DATABASE, 5432)}
    assert reaching == {"gateway", "api", "worker-default", "beat", "migrations", "test"}


def test_the_public_face_can_be_narrowed_to_a_controller() -> None:
    network = Network.of(rendered("full"))
    (gateway,) = (pod for pod in pods_of(rendered("full")) if pod.name == "gateway")
    assert network.allows(Pod("controller", {}, "gateways"), gateway, 8300)
    assert not network.allows(STRANGER, gateway, 8300)


@pytest.mark.parametrize("name", SETS)
def test_every_pod_of_the_release_is_denied_both_ways_first(name: str) -> None:
    manifests: Sequence[Manifest] = rendered(name)
    network = Network.of(manifests)
    for pod in pods_of(manifests):
        assert not network.allows(pod, STRANGER, 443), pod.name
        assert not network.allows(STRANGER, pod, 443), pod.name


def test_policies_can_be_left_to_somebody_else() -> None:
    assert of_kind(render(merged(KEYS, nested("networkPolicy.enabled", False))), "NetworkPolicy") == []


def test_a_pod_of_the_release_that_no_path_knows_is_denied_everything() -> None:
    manifests = rendered("default")
    network = Network.of(manifests)
    (known, *_) = pods_of(manifests)
    unknown = Pod("unknown", {**known.labels, "app.kubernetes.io/component": "unknown"})
    ours = pods_of(manifests)
    assert not any(network.lets_out(unknown, pod, port) for pod in (*ours, *OTHERS) for port in PORTS)
    assert not any(network.lets_in(pod, unknown, port) for pod in (*ours, *OTHERS) for port in PORTS)
