"""JSON schemas as clients see them: plain, closed on the way in, open and loose on the way out.

Models validate strictly; what is *advertised* is chosen for the clients that cache it. Inputs keep bounds and enums
(they help a model to form a call) and are closed at every depth. Outputs are open at every depth and carry neither
enums nor bounds, so that a new value or field cannot break a catalogue cached an hour ago. References are inlined and
nothing but `date-time` stays of `format`: model APIs and clients differ in what else they accept.
"""

from copy import deepcopy
from typing import Any

from pydantic import BaseModel

from threengram.schema.forms import json_schema

_NOISE = frozenset({"title", "$defs"})
_CONSTRAINTS = frozenset(
    {"enum", "const", "pattern", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
     "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"}
)  # fmt: skip

_OBVIOUS = (("default", None), ("minLength", 1), ("default", False))
"""Said by leaving it out: a model pays for every byte of a catalogue."""

OUTLINE_LEVELS = 2
"""Objects within objects whose members a catalogue still names: a hit, a section, a scope record."""

Schema = dict[str, Any]


def input_schema(model: type[BaseModel]) -> Schema:
    """The closed schema of a tool's arguments; optional arguments are absent rather than null."""
    return _object_root(_walk(_flattened(_inlined(json_schema(model, "validation"))), closed=True))


def output_schema(model: type[BaseModel]) -> Schema:
    """The open, loose schema of an answer, in full."""
    return _object_root(_walk(_flattened(_inlined(json_schema(model, "serialization"))), closed=False))


def output_outline(model: type[BaseModel]) -> Schema:
    """The same down to the members of lists, required only at the root; what those contain is open without being named.

    For catalogues, where every byte is paid for by every session and the answer itself shows the rest.
    """
    schema = output_schema(model)
    return {**_outlined(schema, OUTLINE_LEVELS), "required": schema.get("required", [])}


def _object_root(schema: Schema) -> Schema:
    if schema.get("type") != "object":
        raise TypeError("a tool's schema must be an object at its root")
    return schema


def _inlined(schema: Schema) -> Schema:
    definitions = schema.get("$defs", {})

    def resolve(node: Any) -> Any:
        if isinstance(node, list):
            return [resolve(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = deepcopy(definitions[node["$ref"].rpartition("/")[2]])
            target.pop("description", None)  # a class docstring speaks to programmers
            return resolve({**target, **{key: value for key, value in node.items() if key != "$ref"}})
        return {key: resolve(value) for key, value in node.items() if key != "$defs"}

    resolved: Schema = resolve(schema)
    resolved.pop("description", None)
    return resolved


def _flattened(schema: Schema) -> Schema:
    """A union of objects as one object: all properties, the discriminator as an enum, required what all require."""
    branches = schema.get("oneOf") or schema.get("anyOf")
    if not branches:
        return schema
    tag = schema.get("discriminator", {}).get("propertyName")
    properties: Schema = {}
    for branch in branches:
        for name, node in branch["properties"].items():
            if name == tag:
                seen = properties.setdefault(name, {"type": "string", "enum": []})
                seen["enum"].append(node["const"])
            else:
                properties[name] = _common(properties[name], node) if name in properties else node
    required = set.intersection(*(set(branch.get("required", [])) for branch in branches)) | ({tag} if tag else set())
    return {"type": "object", "properties": properties, "required": [name for name in properties if name in required]}


def _common(first: Schema, other: Schema) -> Schema:
    """One property of two branches: the first's schema, or of two objects what both are, open to the fields of either.

    So `required` names only what every branch has.
    """
    if first == other or first.get("type") != "object" or other.get("type") != "object":
        return first
    properties = {**other["properties"], **first["properties"]}
    required = [name for name in first.get("required", []) if name in other.get("required", [])]
    return {**first, "properties": properties, "required": required}


def _walk(node: Schema, *, closed: bool) -> Schema:
    node = _without_null(node, closed=closed)
    dropped = _NOISE if closed else _NOISE | _CONSTRAINTS
    plain: Schema = {}
    for key, value in node.items():
        if key in dropped or (key, value) in _OBVIOUS or (key == "format" and value != "date-time"):
            continue
        if key == "properties":
            plain[key] = {name: _walk(child, closed=closed) for name, child in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            plain[key] = _walk(value, closed=closed)
        elif key in ("anyOf", "oneOf"):
            plain[key] = [_walk(child, closed=closed) for child in value]
        else:
            plain[key] = value
    if "properties" in plain:
        plain["additionalProperties"] = not closed
    return plain


def _without_null(node: Schema, *, closed: bool) -> Schema:
    options = node.get("anyOf")
    if not options or {"type": "null"} not in options:
        return node
    rest = [option for option in options if option != {"type": "null"}]
    outer = {key: value for key, value in node.items() if key != "anyOf"}
    if len(rest) > 1:
        return {**outer, "anyOf": rest if closed else options}
    merged = {**rest[0], **outer}
    if not closed and isinstance(merged.get("type"), str):
        merged["type"] = [merged["type"], "null"]
    return merged


def _outlined(node: Schema, levels: int) -> Schema:
    if "properties" not in node:
        items = {"items": _outlined(node["items"], levels)} if "items" in node else {}
        return {**{key: value for key, value in node.items() if key != "format"}, **items}
    if levels == 0:
        return {"type": node["type"], "additionalProperties": True}
    members = {name: _outlined(child, levels - 1) for name, child in node["properties"].items()}
    return {**{key: value for key, value in node.items() if key != "required"}, "properties": members}
