"""The bundled model with its matrix products in integers.

Its file keeps int8 weights that are scaled back to float32 before each product, so it is small and no faster than
float32. Here each product with such weights takes integers on both sides (`MatMulInteger`). Activations become bytes
at run time: each row, which is one word piece, between its own extremes. ONNX's `DynamicQuantizeLinear`, which the
runtime would fuse, has one range for the whole run: then a vector depends on the texts beside it (cosine 0.989 to
itself alone) and is further from the float32 one (0.993 instead of 0.999).

With `lo` and `step` of a row and its bytes `q`, x = lo + step * q, so x W = step * (q Wq) * scale + lo * (sum of W by
column); the last factor is folded into a constant when the model is loaded.
"""

from collections.abc import Iterator
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped]

from threengram.embedder.attention_graph import in_fewer_nodes

_FIELD = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "threengram"
# Values of the enums of `onnx.proto`.
_FLOAT, _UINT8, _INT64 = 1, 2, 7
_INT, _TENSOR, _INTS = 2, 4, 7

# A row of equal numbers has a step all the same.
_SMALLEST = 1e-12
_STEPS = 255


def with_integer_products(model: bytes) -> bytes:
    """The same model, its attention shortened and its products rewritten; equal input gives equal bytes.

    Raises `ValueError` if it has no such product.
    """
    parsed = _MODEL.FromString(model)
    nodes = in_fewer_nodes(list(parsed.graph.node))
    weights = _int8_weights(nodes)
    rewritten = [new for several in _rewritten(nodes, weights) for new in several]
    if len(rewritten) == len(nodes):
        raise ValueError("no product of the model has int8 weights")
    del parsed.graph.node[:]
    parsed.graph.node.extend([*_constants(), *rewritten])
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


def _rewritten(nodes: list[Any], weights: dict[str, tuple[str, str]]) -> Iterator[list[Any]]:
    """What stands for each node; an activation that several products share becomes bytes before the first of them."""
    in_bytes = set()
    for node in nodes:
        if node.op_type != "MatMul" or node.input[1] not in weights:
            yield [node]
            continue
        activation = node.input[0]
        if activation not in in_bytes:
            in_bytes.add(activation)
            yield _to_bytes(activation)
        yield _product(activation, node.input[1], *weights[node.input[1]], node.output[0])


def _to_bytes(of: str) -> list[Any]:
    """`of`.u8, and for each of its rows `of`.lo and `of`.step."""
    return [
        _node("ReduceMin", [of], f"{of}.lo", axes=[-1], keepdims=1),
        _node("ReduceMax", [of], f"{of}.hi", axes=[-1], keepdims=1),
        _node("Sub", [f"{of}.hi", f"{of}.lo"], f"{of}.span"),
        _node("Max", [f"{of}.span", "rows.smallest"], f"{of}.range"),
        _node("Mul", [f"{of}.range", "rows.step"], f"{of}.step"),
        _node("Sub", [of, f"{of}.lo"], f"{of}.above"),
        _node("Div", [f"{of}.above", f"{of}.step"], f"{of}.steps"),
        # A cast cuts; half a step more makes it the nearest.
        _node("Add", [f"{of}.steps", "rows.half"], f"{of}.rounded"),
        _node("Cast", [f"{of}.rounded"], f"{of}.u8", to=_UINT8),
    ]


def _product(of: str, weight: str, integers: str, scale: str, result: str) -> list[Any]:
    return [
        _node("ReduceSum", [weight, "columns.axes"], f"{result}.sums", keepdims=1),
        _node("MatMulInteger", [f"{of}.u8", integers], f"{result}.i32"),
        _node("Cast", [f"{result}.i32"], f"{result}.f32", to=_FLOAT),
        _node("Mul", [f"{result}.f32", scale], f"{result}.columns"),
        _node("Mul", [f"{result}.columns", f"{of}.step"], f"{result}.rows"),
        _node("Mul", [f"{of}.lo", f"{result}.sums"], f"{result}.floor"),
        _node("Add", [f"{result}.rows", f"{result}.floor"], result),
    ]


def _constants() -> list[Any]:
    floats = {"rows.smallest": _SMALLEST, "rows.step": 1 / _STEPS, "rows.half": 0.5}
    made = [_constant(name, _FLOAT, float_data=[value]) for name, value in floats.items()]
    return [*made, _constant("columns.axes", _INT64, dims=[1], int64_data=[0])]


def _constant(name: str, data_type: int, **data: list[Any]) -> Any:
    made = _NODE(op_type="Constant", output=[name])
    made.attribute.add(name="value", type=_TENSOR, t={"data_type": data_type, **data})
    return made


def _node(kind: str, inputs: list[str], output: str, **attributes: int | list[int]) -> Any:
    made = _NODE(op_type=kind, input=inputs, output=[output])
    for name, value in attributes.items():
        if isinstance(value, int):
            made.attribute.add(name=name, i=value, type=_INT)
        else:
            made.attribute.add(name=name, ints=value, type=_INTS)
    return made


def _field(name: str, number: int, kind: int, *, repeated: bool = False, of: str = "") -> Any:
    label = _FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
    type_name = f".{_PACKAGE}.{of}" if of else None
    return _FIELD(name=name, number=number, type=kind, label=label, type_name=type_name)


def _messages() -> tuple[Any, Any]:
    """The classes of a model and a node: the fields of `onnx.proto` that are touched here; others pass unread."""
    text, number, message = _FIELD.TYPE_STRING, _FIELD.TYPE_INT64, _FIELD.TYPE_MESSAGE
    shapes = {
        "Tensor": [
            _field("dims", 1, number, repeated=True),
            _field("data_type", 2, _FIELD.TYPE_INT32),
            _field("float_data", 4, _FIELD.TYPE_FLOAT, repeated=True),
            _field("int64_data", 7, number, repeated=True),
        ],
        "Attribute": [
            _field("name", 1, text),
            _field("i", 3, number),
            _field("t", 5, message, of="Tensor"),
            _field("ints", 8, number, repeated=True),
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
