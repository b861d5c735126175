"""Write `values.schema.json` and `README.md` of the chart, from `values.yaml` and the settings classes.

In `values.yaml`, a comment `# -- text` documents the value below it and `# @schema {json}` narrows what is inferred
from its default. Objects are closed at every depth; what Kubernetes defines is taken over with its own definitions,
closed too. `python charts/generate.py`; a test compares.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic_settings import BaseSettings

from threengram.api.settings import Settings as ApiSettings
from threengram.cimd.settings import Settings as CimdSettings
from threengram.embedder.settings import Settings as EmbedderSettings
from threengram.gateway.settings import Settings as GatewaySettings
from threengram.migrations.settings import Settings as MigrationsSettings
from threengram.worker.settings import Settings as WorkerSettings

CHART = Path(__file__).parent / "threengram"
KUBERNETES = "v1.37.0-local-strict"

SERVICES: Mapping[str, type[BaseSettings]] = {
    "gateway": GatewaySettings,
    "api": ApiSettings,
    "embedder": EmbedderSettings,
    "worker": WorkerSettings,
    "cimd": CimdSettings,
    "migrations": MigrationsSettings,
}
OF_THE_CHART = frozenset(
    {
        *("host", "port", "listen_fd", "admin_host", "admin_port", "admin_listen_fd", "instance"),
        *("log_level", "otlp_endpoint", "startup_timeout_s"),
        *("database_url", "redis_url", "embedder_url", "cimd_url", "public_url", "issuer_url", "web_app_url"),
        *("cursor_key", "signing_key", "queues", "refused_networks"),
        *("owner_url", "runtime_role", "runtime_password", "retired_roles"),
    }
)
"""Settings that the chart sets from values of its own."""

SCALARS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
NOISE = frozenset({"title", "default", "format", "description", "discriminator", "writeOnly"})
HAND_MADE: Mapping[str, Any] = {
    "strings": {"type": "object", "additionalProperties": {"type": "string"}},
    "parentRef": {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {
            **{name: {"type": "string"} for name in ("group", "kind", "namespace", "name", "sectionName")},
            "port": {"type": "integer"},
        },
    },
    "cnpgAffinity": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "enablePodAntiAffinity": {"type": "boolean"},
            "topologyKey": {"type": "string"},
            "podAntiAffinityType": {"enum": ["preferred", "required"]},
            "nodeSelector": {"$ref": "#/definitions/strings"},
            "tolerations": {"type": "array", "items": {"$ref": "k8s:core.v1.Toleration"}},
            "nodeAffinity": {"$ref": "k8s:core.v1.NodeAffinity"},
        },
    },
    "secretSetting": {
        "type": "object",
        "additionalProperties": False,
        "required": ["secret", "key"],
        "properties": {"secret": {"type": "string", "minLength": 1}, "key": {"type": "string", "minLength": 1}},
    },
}


@dataclass(frozen=True)
class Value:
    """One value of `values.yaml`: where it stands, what it is for, and what it may be."""

    path: str
    default: Any
    text: str
    narrowed: Mapping[str, Any]
    children: tuple["Value", ...] = field(default=())

    def leaves(self) -> Iterator["Value"]:
        """This value and those below it, as far as they are documented."""
        if self.text:
            yield self
        for child in self.children:
            yield from child.leaves()

    def schema(self) -> dict[str, Any]:
        """What it may be."""
        if "$ref" in self.narrowed:
            return dict(self.narrowed)
        if self.children or isinstance(self.default, dict):
            closed = {
                "type": "object",
                "additionalProperties": False,
                "properties": {child.path.rpartition(".")[2]: child.schema() for child in self.children},
            }
            return closed | dict(self.narrowed)
        kind = "array" if isinstance(self.default, list) else SCALARS[type(self.default).__name__]
        return {"type": kind} | dict(self.narrowed)


def read(text: str) -> list[Value]:
    """The values of a `values.yaml`."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    return [*_values(root, text.splitlines(), "")]


def _values(mapping: yaml.MappingNode, lines: list[str], prefix: str) -> Iterator[Value]:
    for key, node in mapping.value:
        text, narrowed = _comment(lines, key.start_mark.line)
        path = prefix + key.value
        is_nested = isinstance(node, yaml.MappingNode) and node.value and "$ref" not in narrowed
        children = tuple(_values(node, lines, path + ".")) if is_nested else ()
        yield Value(path, yaml.SafeLoader("").construct_document(node), text, narrowed, children)


def _comment(lines: list[str], line: int) -> tuple[str, dict[str, Any]]:
    said: list[str] = []
    narrowed: dict[str, Any] = {}
    while line > 0 and (comment := re.match(r"\s*# ?(.*)", lines[line - 1])):
        line -= 1
        if comment[1].startswith("@schema "):
            narrowed = json.loads(comment[1].removeprefix("@schema ").replace("#/$defs/", "#/definitions/"))
        elif comment[1].startswith("-- "):
            return " ".join([comment[1].removeprefix("-- "), *reversed(said)]), narrowed
        else:
            said.append(comment[1])
    return "", narrowed


def camel(name: str) -> str:
    """`calls_per_minute` as `callsPerMinute`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def settings_of(service: str) -> dict[str, tuple[Mapping[str, Any], bool, str]]:
    """The settings that values reach by their own name: schema, whether it is secret, and what it means."""
    described = SERVICES[service].model_json_schema(by_alias=False)
    found = {}
    for name, node in described["properties"].items():
        if name not in OF_THE_CHART:
            plain = _without_null(node)
            found[camel(name)] = (_clean(plain, service), plain.get("format") == "password", node["description"])
    return found


def _without_null(node: Mapping[str, Any]) -> Mapping[str, Any]:
    options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
    return options[0] if len(options) == 1 else node


def _clean(node: Any, service: str) -> Any:
    """A node of pydantic's schema without what validates nothing, pointing into our definitions."""
    if isinstance(node, list):
        return [_clean(item, service) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"].replace("#/$defs/", f"#/definitions/{service}.")}
    return {
        key: {name: _clean(child, service) for name, child in value.items()}
        if key == "properties"
        else _clean(value, service)
        for key, value in node.items()
        if key not in NOISE
    }


def schema(values: list[Value]) -> dict[str, Any]:
    """The schema of the values, with the definitions that it uses."""
    by_name = {value.path: value for value in values}
    definitions: dict[str, Any] = dict(HAND_MADE)
    for service, settings in SERVICES.items():
        known = settings_of(service)
        definitions[f"settings.{service}"] = _closed({n: s for n, (s, is_secret, _) in known.items() if not is_secret})
        definitions[f"secretSettings.{service}"] = _closed(
            {n: {"$ref": "#/definitions/secretSetting"} for n, (_, is_secret, _) in known.items() if is_secret}
        )
        for name, node in settings.model_json_schema(by_alias=False).get("$defs", {}).items():
            definitions[f"{service}.{name}"] = _clean(node, service)
    definitions["pods"] = by_name["pods"].schema()
    definitions["workers"] = {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$"},
        "additionalProperties": by_name["workerDefaults"].schema(),
    }
    whole = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Values of the chart threengram",
        **_closed({value.path: value.schema() for value in values}),
        "definitions": definitions,
    }
    return _with_kubernetes(whole)


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": dict(properties)}


def _with_kubernetes(whole: dict[str, Any]) -> dict[str, Any]:
    """Every `k8s:` reference resolved, with all that its definition refers to."""
    folder = resources.files("kubernetes_validate") / "kubernetes-json-schema" / KUBERNETES
    known = json.loads((folder / "_definitions.json").read_text())["$defs"]
    wanted = _point_home(whole)
    while wanted:
        name = wanted.pop()
        if name not in whole["definitions"]:
            node = _without_words(known[f"io.k8s.{name}"])
            wanted |= _point_home(node)
            whole["definitions"][name] = node
    return whole


def _point_home(node: Any) -> set[str]:
    """Names of the Kubernetes definitions that `node` refers to; the references become local ones."""
    found: set[str] = set()
    if isinstance(node, list):
        for item in node:
            found |= _point_home(item)
    elif isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str) and (name := _kubernetes_name(reference)) is not None:
            node["$ref"] = f"#/definitions/{name}"
            found.add(name)
        for value in node.values():
            found |= _point_home(value)
    return found


def _kubernetes_name(reference: str) -> str | None:
    if reference.startswith("k8s:"):
        return f"api.{reference.removeprefix('k8s:')}"
    _, is_theirs, name = reference.partition("io.k8s.")
    return name if is_theirs else None


def _without_words(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_words(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_words(value)
        for key, value in node.items()
        if not key.startswith("x-kubernetes")
        and not (key in {"description", "format", "default"} and isinstance(value, str))
    }


def readme(values: list[Value], head: str) -> str:
    """The chart's README: what the template says, every value, every setting."""
    rows = [f"| `{leaf.path}` | {_shown(leaf)} | {_cell(leaf.text)} |" for value in values for leaf in value.leaves()]
    parts = [
        head.rstrip(),
        "",
        "## Values",
        "",
        "| value | default | meaning |",
        "|---|---|---|",
        *rows,
        "",
        "## Settings",
        "",
    ]
    parts += [
        "`<component>.settings` takes these; those marked secret go to `<component>.secretSettings`, as",
        "`{secret: NAME, key: KEY}`. Defaults: docs/reference/settings.md of the repository.",
    ]
    for service in SERVICES:
        owners = {"worker": "`workerDefaults`, entries of `workers`, `beat`"}.get(service, f"`{service}`")
        parts += ["", f"### {owners}", "", "| setting | meaning |", "|---|---|"]
        parts += [
            f"| `{name}`{' (secret)' if is_secret else ''} | {_cell(text)} |"
            for name, (_, is_secret, text) in settings_of(service).items()
        ]
    return "\n".join(parts) + "\n"


def _shown(value: Value) -> str:
    return f"`{json.dumps(value.default, separators=(', ', ': '), ensure_ascii=False)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def pages() -> dict[str, str]:
    """Each generated file by its name in the chart."""
    values = read((CHART / "values.yaml").read_text())
    return {
        "values.schema.json": json.dumps(schema(values), indent=1, sort_keys=True) + "\n",
        "README.md": readme(values, (CHART.parent / "readme.head.md").read_text()),
    }


if __name__ == "__main__":
    for file, content in pages().items():
        (CHART / file).write_text(content)
