"""Attention as it was exported, in fewer nodes and with the same result to the last bit.

The exporter turns keys over by way of three-dimensional shapes, which it computes from the keys; here one transposition
does it. It also puts zeros where a row of attention is NaN, as that of a piece is which may look at none. Here every
piece may look at least at the first one of its sequence, and a NaN from anywhere else must not become a vector.
"""

from collections import Counter
from typing import Any

_BY_HEAD = [0, 2, 1, 3]
_TURNED = [0, 2, 1]
_BY_HEAD_TURNED = [0, 2, 3, 1]


def in_fewer_nodes(nodes: list[Any]) -> list[Any]:
    """The nodes of a graph, in order; those that nobody reads any more are left out. Changes what it is given."""
    read_before = {name for node in nodes for name in node.input}
    makers = {name: node for node in nodes for name in node.output}
    unguarded = {node.output[0]: node.input[2] for node in nodes if _guards_from_nan(node, makers)}
    for node in nodes:
        node.input[:] = [unguarded.get(name, name) for name in node.input]
        _turn_at_once(node, makers)
    reads = Counter(name for node in nodes for name in node.input)
    kept = []
    for node in reversed(nodes):
        if any(reads[name] for name in node.output) or read_before.isdisjoint(node.output):
            kept.append(node)
        else:
            reads.subtract(node.input)
    return kept[::-1]


def _guards_from_nan(node: Any, makers: dict[str, Any]) -> bool:
    """Whether it is `Where(IsNaN(x), ..., x)`."""
    if node.op_type != "Where":
        return False
    condition = makers.get(node.input[0])
    return condition is not None and condition.op_type == "IsNaN" and condition.input[0] == node.input[2]


def _turn_at_once(node: Any, makers: dict[str, Any]) -> None:
    """Make the last node of the long way from a view of the keys to the turned keys a transposition of that view."""
    if node.op_type != "Reshape":
        return
    turn = makers.get(node.input[0])
    flat = None if turn is None else makers.get(turn.input[0])
    heads = None if flat is None else makers.get(flat.input[0])
    if turn is None or flat is None or heads is None or flat.op_type != "Reshape":
        return
    if _order(turn) != _TURNED or _order(heads) != _BY_HEAD:
        return
    node.op_type = "Transpose"
    node.input[:] = heads.input
    del node.attribute[:]
    node.attribute.add().CopyFrom(turn.attribute[0])
    node.attribute[0].ints[:] = _BY_HEAD_TURNED


def _order(node: Any) -> list[int]:
    return list(node.attribute[0].ints) if node.op_type == "Transpose" else []
