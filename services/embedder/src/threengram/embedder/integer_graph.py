"""The bundled model with its matrix products in integers.

Its file keeps int8 weights that are scaled back to float32 before each product, so it is small and no faster than
float32. Here each product with such weights becomes ONNX's `DynamicQuantizeLinear` (activations to uint8, by their own
range at run time), `MatMulInteger` and one scaling, which the runtime fuses. The weights stay as they are.

A query of twelve pieces takes under half the time; the vectors differ (cosine 0.99), so they are another model.
"""

from collections.abc import Iterator
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped]

_FIELD = descriptor_pb2.FieldDescriptorProto
_FLOAT = 1
_INT_ATTRIBUTE = 2
_PACKAGE = "threengram"


def with_integer_products(model: bytes) -> bytes:
    """The same model, its products rewritten; equal input gives equal bytes. Raises `ValueError` if it has none."""
    parsed = _MODEL.FromString(model)
    nodes = list(parsed.graph.node)
    weights = _int8_weights(nodes)
    rewritten = [new for node in _quantising_once(nodes, weights) for new in node]
    if len(rewritten) == len(nodes):
        raise ValueError("no product of the model has int8 weights")
    del parsed.graph.node[:]
    parsed.graph.node.extend(rewritten)
    made: bytes = parsed.SerializeToString(deterministic=True)
    return made


def _int8_weights(nodes: list[Any]) -> dict[str, tuple[str, str]]:
    """Names of scaled weights, each with the names of its integers and of its scale: outputs of Mul(Cast(q), scale)."""
    casts = {node.output[0]: node.input[0] for node in nodes if node.op_type == "Cast"}
    return {
        node.output[0]: (casts[node.input[0]], node.input[1])
        for node in nodes
        if node.op_type == "Mul" and casts.get(node.input[0], "").endswith("_q")
    }


def _quantising_once(nodes: list[Any], weights: dict[str, tuple[str, str]]) -> Iterator[list[Any]]:
    """What stands for each node; an activation that several products share is quantised before the first of them."""
    quantised = set()
    for node in nodes:
        if node.op_type != "MatMul" or node.input[1] not in weights:
            yield [node]
            continue
        activation = node.input[0]
        if activation not in quantised:
            quantised.add(activation)
            yield [_node("DynamicQuantizeLinear", [activation], _quantised(activation))]
        yield _product(node, *weights[node.input[1]])


def _quantised(activation: str) -> list[str]:
    return [f"{activation}_u8", f"{activation}_u8_scale", f"{activation}_u8_zero"]


def _product(node: Any, integers: str, scale: str) -> list[Any]:
    result = node.output[0]
    values, values_scale, zero = _quantised(node.input[0])
    return [
        _node("MatMulInteger", [values, integers, zero], [f"{result}_i32"]),
        _node("Cast", [f"{result}_i32"], [f"{result}_f32"], to=_FLOAT),
        _node("Mul", [values_scale, scale], [f"{result}_scale"]),
        _node("Mul", [f"{result}_f32", f"{result}_scale"], [result]),
    ]


def _node(kind: str, inputs: list[str], outputs: list[str], **attributes: int) -> Any:
    made = _NODE(op_type=kind, input=inputs, output=outputs)
    for name, value in attributes.items():
        made.attribute.add(name=name, i=value, type=_INT_ATTRIBUTE)
    return made


def _field(name: str, number: int, kind: int, *, repeated: bool = False, of: str = "") -> Any:
    label = _FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
    type_name = f".{_PACKAGE}.{of}" if of else None
    return _FIELD(name=name, number=number, type=kind, label=label, type_name=type_name)


def _messages() -> tuple[Any, Any]:
    """The classes of a model and a node: the fields of `onnx.proto` that are touched here; others pass unread."""
    text, message = _FIELD.TYPE_STRING, _FIELD.TYPE_MESSAGE
    shapes = {
        "Attribute": [
            _field("name", 1, text),
            _field("i", 3, _FIELD.TYPE_INT64),
            _field("type", 20, _FIELD.TYPE_INT32),
        ],
        "Node": [
            _field("input", 1, text, repeated=True),
            _field("output", 2, text, repeated=True),
            _field("op_type", 4, text),
            _field("attribute", 5, message, repeated=True, of="Attribute"),
        ],
        "Graph": [_field("node", 1, message, repeated=True, of="Node")],
        "Model": [_field("graph", 7, message, of="Graph")],
    }
    file = descriptor_pb2.FileDescriptorProto(
        name="threengram/onnx_nodes.proto",
        package=_PACKAGE,
        syntax="proto2",
        message_type=[descriptor_pb2.DescriptorProto(name=name, field=fields) for name, fields in shapes.items()],
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    model, node = (pool.FindMessageTypeByName(f"{_PACKAGE}.{name}") for name in ("Model", "Node"))
    return message_factory.GetMessageClass(model), message_factory.GetMessageClass(node)


_MODEL, _NODE = _messages()
