"""Expressions: what is computed for one element, as a graph of operations that any device can compile.

Nodes are interned: equal expressions are one object, so that shared parts are computed once and comparing two
expressions costs nothing. The definition of every operation is in `anydml.core.operations`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from threading import RLock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from anydml.core.convert import convert
from anydml.core.datatype import DataType
from anydml.process.loading import load_module

ElementType = np.dtype[Any]
"""The type of a value while it is computed: that of a NumPy array element, `bool` for the result of a comparison."""
Array = npt.NDArray[Any]

BOOL = np.dtype(np.bool_)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
LEAVES = frozenset({"load", "result", "constant"})
"""`load` is the element of an operand, `result` that of an array program, `constant` a number."""
_KEPT_WALKS = 1024


class Node:
    """One operation on the values of other nodes. Made by the functions below, never directly."""

    __slots__ = ("__weakref__", "args", "op", "type", "value")

    def __init__(self, op: str, type: ElementType, args: tuple[Node, ...], value: Any) -> None:
        self.op, self.type, self.args, self.value = op, type, args, value

    def __repr__(self) -> str:
        return f"<{describe(self)}: {self.type}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """All nodes in a row: written as a tree, long chains would go deeper than Python can."""
        order = walk(self)
        place = {node: number for number, node in enumerate(order)}
        return _remade, tuple((n.op, n.type, tuple(place[arg] for arg in n.args), n.value) for n in order)


_lock = RLock()
_nodes: WeakValueDictionary[Any, Node] = WeakValueDictionary()


def make(op: str, type: ElementType, args: tuple[Node, ...] = (), value: Any = None) -> Node:
    """The node of this operation; the same one every time."""
    key = (op, type, tuple(map(id, args)), _exact(value))
    with _lock:
        found = _nodes.get(key)
        if found is None:
            _nodes[key] = found = Node(op, type, args, value)
        return found


def _exact(value: Any) -> Any:
    """A key under which 0.0 and -0.0 differ, and NaN is itself."""
    return struct.pack("<d", value) if isinstance(value, float) else value


def _remade(*rows: tuple[str, ElementType, tuple[int, ...], Any]) -> Node:
    nodes: list[Node] = []
    for op, type, places, value in rows:
        nodes.append(make(op, type, tuple(nodes[place] for place in places), value))
    return nodes[-1]


def load(operand: int, type: ElementType) -> Node:
    return make("load", type, value=operand)


def result(type: ElementType) -> Node:
    """The element that an array program computed."""
    return make("result", type)


def constant(value: float | int | bool, type: ElementType) -> Node:
    """A number, as the type holds it."""
    with np.errstate(all="ignore"):
        held = np.asarray(value).astype(type).item()
    return make("constant", type, value=held)


def cast(value: Node, type: ElementType) -> Node:
    """The value as another type, converted as CAST does."""
    return value if value.type == type else make("cast", type, (value,))


def operation(op: str, *args: Node) -> Node:
    """An operation of the table; its arguments have one type."""
    known = load_module("anydml.core.operations").OPERATIONS
    return make(op, known[op].result_type(args), args)


@lru_cache(_KEPT_WALKS)
def walk(*roots: Node) -> tuple[Node, ...]:
    """Every node below the roots once, arguments before those who use them."""
    found: dict[Node, None] = {}
    stack: list[tuple[Node, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, is_done = stack.pop()
        if node in found:
            continue
        if is_done:
            found[node] = None
        else:
            stack.append((node, True))
            stack += [(arg, False) for arg in reversed(node.args)]
    return tuple(found)


def substitute(root: Node, replace: Callable[[Node], Node | None]) -> Node:
    """The expression with some nodes replaced; `replace` returns None for those that stay."""
    done: dict[Node, Node] = {}
    for node in walk(root):
        other = replace(node)
        if other is None:
            args = tuple(done[arg] for arg in node.args)
            other = node if args == node.args else make(node.op, node.type, args, node.value)
        done[node] = other
    return done[root]


def leaves(*roots: Node) -> Iterator[Node]:
    return (node for node in walk(*roots) if node.op in LEAVES)


def describe(root: Node, names: Mapping[int, str] | None = None) -> str:
    """The expression as text, shared parts written out; long ones are cut short."""
    text = _text(root, names or {}, 6)
    return text if len(text) <= 200 else f"{text[:200]} ..."


def _text(node: Node, names: Mapping[int, str], depth: int) -> str:
    if node.op == "load":
        return names.get(node.value, f"#{node.value}")
    if node.op == "constant":
        return repr(node.value)
    if node.op == "result":
        return "result"
    if depth == 0:
        return "..."
    inner = ", ".join(_text(arg, names, depth - 1) for arg in node.args)
    return f"{node.type.name}({inner})" if node.op == "cast" else f"{node.op}({inner})"


def evaluate(root: Node, operands: Mapping[int, Array], program_result: Array | None = None) -> Array:
    """The expression's value on whole arrays, by the definitions: slow, and trusted."""
    known = load_module("anydml.core.operations").OPERATIONS
    values: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in walk(root):
            if node.op == "load":
                values[node] = operands[node.value]
            elif node.op == "result":
                values[node] = program_result
            elif node.op == "constant":
                values[node] = node.type.type(node.value)
            elif node.op == "cast":
                values[node] = convert_array(np.asarray(values[node.args[0]]), node.type)
            else:
                values[node] = known[node.op].define(*(values[arg] for arg in node.args))
    return np.asarray(values[root])


def convert_array(values: Array, type: ElementType) -> Array:
    """CAST on arrays; truth values count as 0 and 1."""
    if values.dtype == type:
        return values
    if values.dtype == BOOL:
        return values.astype(type)
    if type == BOOL:
        return np.not_equal(values, 0)
    return convert(values, DataType.parse(values.dtype), DataType.parse(type))
