"""The chart through Helm's own engine: values in, objects out."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import helm_python as helm
import yaml

CHART = Path(__file__).resolve().parents[2] / "charts" / "threengram"
RELEASE, NAMESPACE = "memory", "ns"
PREFIX = f"{RELEASE}-threengram"
SETS = ("default", *sorted(path.name.removesuffix("-values.yaml") for path in (CHART / "ci").glob("*-values.yaml")))
KEYS = {"secrets": {"signingKey": {"existingSecret": "signing"}}}
"""With it no key is made, which takes a second."""

Manifest = Mapping[str, Any]


@cache
def chart() -> helm.Chart:
    return helm.Chart.load(CHART)


def values_of(name: str) -> dict[str, Any]:
    """A set of values in `ci`, or none."""
    if name == "default":
        return {}
    found: dict[str, Any] = helm.values_from_yaml((CHART / "ci" / f"{name}-values.yaml").read_text())
    return found


def render(values: Mapping[str, Any], **options: Any) -> list[Manifest]:
    """Every object that the values make. Raises `helm.HelmError` with what the chart has to say against them."""
    return [*objects(chart().render(dict(values), name=RELEASE, namespace=NAMESPACE, **options))]


def objects(manifests: Mapping[str, str]) -> Iterator[Manifest]:
    for path, text in sorted(manifests.items()):
        if not path.endswith("NOTES.txt"):
            yield from (found for found in yaml.load_all(text, yaml.CSafeLoader) if found)


@cache
def _rendered(name: str) -> list[Manifest]:
    return render({} if name == "default" else merged(KEYS, values_of(name)), is_install=True)


def rendered(name: str) -> list[Manifest]:
    """The objects of a set of values, rendered once."""
    return deepcopy(_rendered(name))


def merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Maps merged, later ones winning, as Helm merges values."""
    result: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            known = result.get(key)
            if isinstance(known, Mapping) and isinstance(value, Mapping):
                result[key] = merged(known, value)
            else:
                result[key] = deepcopy(value)
    return result


def nested(path: str, value: object) -> dict[str, Any]:
    """`{"a": {"b": value}}` for `a.b`."""
    for name in reversed(path.split(".")):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def of_kind(manifests: Sequence[Manifest], *kinds: str) -> list[Manifest]:
    return [found for found in manifests if found["kind"] in kinds]


def named(manifests: Sequence[Manifest], kind: str, name: str) -> Manifest:
    """The one object of that kind and component, such as `gateway`."""
    (found,) = (one for one in of_kind(manifests, kind) if one["metadata"]["name"] == f"{PREFIX}-{name}")
    return found


def pod_templates(manifests: Sequence[Manifest]) -> dict[str, Manifest]:
    """Metadata and spec of every pod that the chart itself makes, by the kind and name of its owner."""
    found = {}
    for one in manifests:
        if one["kind"] in {"Deployment", "StatefulSet", "Job"}:
            found[f"{one['kind']} {one['metadata']['name']}"] = one["spec"]["template"]
        elif one["kind"] == "Pod":
            found[f"Pod {one['metadata']['name']}"] = {"metadata": one["metadata"], "spec": one["spec"]}
    return found


def environment(template: Manifest) -> dict[str, Mapping[str, Any]]:
    """The variables of the main container by name."""
    return {variable["name"]: variable for variable in template["spec"]["containers"][0].get("env", ())}
