"""What rendered NetworkPolicies allow, by the rules of Kubernetes: who may open a connection to whom, at which port.

A pod that no policy selects for a direction is open in it; one that some policy selects may do what any of them allows.
A connection needs the consent of both ends.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

from tests.deploy.rendering import NAMESPACE, Manifest, of_kind, pod_templates


@dataclass(frozen=True)
class Pod:
    """A pod by its labels and where it runs."""

    name: str
    labels: Mapping[str, str] = field(compare=False)
    namespace: str = NAMESPACE

    @property
    def namespace_labels(self) -> Mapping[str, str]:
        return {"kubernetes.io/metadata.name": self.namespace}


@dataclass(frozen=True)
class Address:
    """Somewhere outside."""

    ip: str


Peer = Pod | Address


def pods_of(manifests: Sequence[Manifest]) -> list[Pod]:
    """One pod for each owner that the chart makes, named by its component; Jobs are one."""
    found = {}
    for template in pod_templates(manifests).values():
        labels = template["metadata"]["labels"]
        name = labels["app.kubernetes.io/component"]
        found[name] = Pod(name, labels)
    return list(found.values())


@dataclass(frozen=True)
class Network:
    """The policies of a rendering."""

    policies: Sequence[Manifest]

    @classmethod
    def of(cls, manifests: Sequence[Manifest]) -> "Network":
        return cls(of_kind(manifests, "NetworkPolicy"))

    def allows(self, source: Peer, target: Peer, port: int, protocol: str = "TCP") -> bool:
        """Whether both ends consent."""
        return self.lets_out(source, target, port, protocol) and self.lets_in(source, target, port, protocol)

    def lets_out(self, source: Peer, target: Peer, port: int, protocol: str = "TCP") -> bool:
        """Whether the source may connect."""
        return self._permits("Egress", "to", source, target, port, protocol)

    def lets_in(self, source: Peer, target: Peer, port: int, protocol: str = "TCP") -> bool:
        """Whether the target may be connected to."""
        return self._permits("Ingress", "from", target, source, port, protocol)

    def _permits(self, direction: str, side: str, subject: Peer, peer: Peer, port: int, protocol: str) -> bool:
        if isinstance(subject, Address):
            return True
        selecting = [
            policy["spec"]
            for policy in self.policies
            if subject.namespace == NAMESPACE
            and direction in policy["spec"]["policyTypes"]
            and selects(policy["spec"]["podSelector"], subject.labels)
        ]
        return not selecting or any(
            _rule_permits(rule, side, peer, port, protocol)
            for spec in selecting
            for rule in spec.get(direction.lower(), ())
        )


def _rule_permits(rule: Mapping[str, Any], side: str, peer: Peer, port: int, protocol: str) -> bool:
    return _has_port(rule.get("ports"), port, protocol) and (
        not rule.get(side) or any(_is_peer(one, peer) for one in rule[side])
    )


def _has_port(ports: Iterable[Mapping[str, Any]] | None, port: int, protocol: str) -> bool:
    return not ports or any(
        one.get("protocol", "TCP") == protocol
        and ("port" not in one or one["port"] <= port <= one.get("endPort", one["port"]))
        for one in ports
    )


def _is_peer(rule: Mapping[str, Any], peer: Peer) -> bool:
    if "ipBlock" in rule:
        block = rule["ipBlock"]
        return isinstance(peer, Address) and (
            _within(peer.ip, block["cidr"]) and not any(_within(peer.ip, part) for part in block.get("except", ()))
        )
    if isinstance(peer, Address):
        return False
    if "namespaceSelector" in rule:
        in_namespace = selects(rule["namespaceSelector"], peer.namespace_labels)
    else:
        in_namespace = peer.namespace == NAMESPACE
    return in_namespace and ("podSelector" not in rule or selects(rule["podSelector"], peer.labels))


def _within(ip: str, network: str) -> bool:
    return ip_address(ip) in ip_network(network)


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a label selector selects these labels."""
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items()) and all(
        _matches(expression, labels) for expression in selector.get("matchExpressions", ())
    )


def _matches(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value = labels.get(expression["key"])
    match expression["operator"]:
        case "In":
            return value in expression["values"]
        case "NotIn":
            return value not in expression["values"]
        case "Exists":
            return value is not None
        case _:
            return value is None
