"""Expressions as instructions on vectors: one form for each operation, with the meaning of its definition."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache

from anydml.core.datatype import DataType
from anydml.core.expression import BOOL, FLOAT32, FLOAT64, ElementType, Node, walk
from anydml.runtime.moves.kernels.convert import convert_value
from anydml.runtime.moves.kernels.convert import is_supported as can_convert
from anydml.runtime.native import llvm
from anydml.runtime.native.math.machine import host_machine
from anydml.runtime.native.math.table import FUNCTIONS
from anydml.runtime.native.math.values import FLOAT16, Lanes, Vector, at_least, at_most, select, square_root

Form = Callable[..., Vector]


# Integers: LLVM leaves quotients by 0, quotients that overflow and shifts by too many bits undefined


def _quotient(a: Vector, b: Vector) -> Vector:
    """Cut off toward zero; by 0 it is 0, and the lowest integer by -1 is itself."""
    divisor, is_zero = _divisor(a, b)
    return select(is_zero, 0, _divide(a, divisor, "div"))


def _fmod(a: Vector, b: Vector) -> Vector:
    """What is left of a, with its sign; 0 for b = 0."""
    divisor, is_zero = _divisor(a, b)
    return select(is_zero, 0, _divide(a, divisor, "rem"))


def _remainder(a: Vector, b: Vector) -> Vector:
    """The same with the sign of b."""
    rest = _fmod(a, b)
    if a.type.kind == "u":
        return rest
    return select(rest.differs(0) & ((rest ^ b) < 0), rest + b, rest)


def _floor_divide(a: Vector, b: Vector) -> Vector:
    quotient = _quotient(a, b)
    if a.type.kind == "u":
        return quotient
    rest = _fmod(a, b)
    return select(rest.differs(0) & ((rest ^ b) < 0), quotient - 1, quotient)


def _divisor(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """b, or 1 where dividing by b is undefined: by 0, and the lowest integer by -1, whose quotients are equal."""
    is_zero = b.equals(0)
    if a.type.kind == "u":
        return select(is_zero, 1, b), is_zero
    overflows = a.equals(-(1 << (8 * a.type.itemsize - 1))) & b.equals(-1)
    return select(is_zero | overflows, 1, b), is_zero


def _divide(a: Vector, b: Vector, what: str) -> Vector:
    return a.lanes.value(f"{'s' if a.type.kind == 'i' else 'u'}{what} {a.typed}, {b.name}", a.type)


def _shift(a: Vector, b: Vector, is_left: bool) -> Vector:
    """By too many bits, or by a negative number of them, all bits leave."""
    bits = 8 * a.type.itemsize
    is_usual = b.compare("icmp ult", bits)
    safe = select(is_usual, b, 0)
    if is_left:
        return select(is_usual, a << safe, 0)
    return select(is_usual, a >> safe, a >> (bits - 1) if a.type.kind == "i" else 0)


def _magnitude(x: Vector) -> Vector:
    if x.type.kind == "f":
        return x.call("fabs")
    return x if x.type.kind == "u" else x.call("abs", more=("i1 false",))


# The larger and the smaller of two; NaN wins, and of equal ones the second


def _extreme(a: Vector, b: Vector, is_larger: bool) -> Vector:
    chosen = select(a > b if is_larger else a < b, a, b)
    return select(a.is_nan(), a, chosen) if a.type.kind == "f" else chosen


def _extreme_of(node: Node, a: Vector, b: Vector) -> Vector:
    """Beside a constant one instruction is enough; beside 0 as the second two, since it wins over the other zero."""
    is_larger = node.op == "maximum"
    hold = at_least if is_larger else at_most
    first, second = (_is_number(arg) for arg in node.args)
    if a.type.kind != "f" or not (first or second):
        return _extreme(a, b, is_larger)
    if first:
        return hold(b, a)
    if node.args[1].value == 0:
        return select(a.compare("fcmp ugt" if is_larger else "fcmp ult", b), a, b)
    return hold(a, b)


def _is_number(node: Node) -> bool:
    return node.op == "constant" and bool(node.value == node.value)


def combine(fold: str, a: Vector, b: Vector) -> Vector:
    """Two values of a fold as one: "add", "multiply", "maximum", "minimum" or "greatest"."""
    if fold == "greatest":
        return select(a > b, a, b)
    if fold in _EXTREMES:
        return _extreme(a, b, fold == "maximum")
    return a + b if fold == "add" else a * b


# Every operation

_FORMS: dict[str, Form] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "negative": lambda a: -a,
    "absolute": _magnitude,
    "sqrt": square_root,
    "copysign": lambda a, b: a.call("copysign", b),
    "floor": lambda a: a.call("floor"),
    "ceil": lambda a: a.call("ceil"),
    "trunc": lambda a: a.call("trunc"),
    "rint": lambda a: a.call("rint"),
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
    "invert": lambda a: ~a,
    "left_shift": lambda a, b: _shift(a, b, True),
    "right_shift": lambda a, b: _shift(a, b, False),
    "bitwise_count": lambda a: _magnitude(a).call("ctpop"),
    "equal": lambda a, b: a.equals(b),
    "not_equal": lambda a, b: a.differs(b),
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "where": select,
    "truncate_divide": _quotient,
}
_INTEGER_FORMS: dict[str, Form] = {"floor_divide": _floor_divide, "remainder": _remainder, "fmod": _fmod}
_ROUNDING = ("floor", "ceil", "trunc", "rint")
_EXTREMES = ("minimum", "maximum")


def can_emit(*values: Node) -> bool:
    """Whether all operations have a form for the types they work on, on this machine."""
    return all(_has_form(node) for node in walk(*values))


def _has_form(node: Node) -> bool:
    if node.op == "load":
        return True
    if node.op == "constant":
        return node.type != FLOAT16
    if node.op == "cast":
        return _converts(node.args[0], DataType.parse(node.type) if node.type != BOOL else None)
    kind = node.args[-1].type
    if node.op in FUNCTIONS:
        return kind == FLOAT32
    if node.op in _INTEGER_FORMS:
        return kind.kind in "iu"
    if kind == FLOAT16 or (node.op in _ROUNDING and not host_machine().rounds):
        return False
    return node.op in _FORMS or node.op in _EXTREMES


def can_store(value: Node, data_type: DataType) -> bool:
    return not data_type.is_packed_pair and _converts(value, data_type)


def _converts(value: Node, data_type: DataType | None) -> bool:
    return _has_conversion(value.type, data_type, llvm.has_half_floats())


@cache
def _has_conversion(source: ElementType, target: DataType | None, has_half_floats: bool) -> bool:
    if (source == FLOAT16 or target is DataType.FLOAT16) and not has_half_floats:
        return False
    if source == BOOL or target is None:
        return bool(source != FLOAT16)
    return can_convert(DataType.parse(source), target, None)


def emit(
    lanes: Lanes,
    roots: Sequence[Node],
    loads: Mapping[int, Vector],
    known: Mapping[Node, Vector] | None = None,
    forms: Mapping[Node, Form] | None = None,
) -> list[Vector]:
    """The values of expressions. `loads` are the elements of the operands; what is known is not computed again.

    `forms` are quicker ones of some nodes, for which more is known than their operations say.
    """
    values: dict[Node, Vector] = dict(known or {})
    for node in needed(roots, values):
        args = [values[arg] for arg in node.args]
        values[node] = forms[node](*args) if forms and node in forms else _value(lanes, node, args, loads)
    return [values[root] for root in roots]


def needed(roots: Sequence[Node], known: Container[Node]) -> list[Node]:
    """What must be computed for the roots, arguments before those that use them."""
    found: dict[Node, None] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            found[node] = None
        elif node not in found and node not in known:
            stack += [(node, True), *((arg, False) for arg in reversed(node.args))]
    return list(found)


def _value(lanes: Lanes, node: Node, args: Sequence[Vector], loads: Mapping[int, Vector]) -> Vector:
    if node.op == "load":
        return loads[node.value]
    if node.op == "constant":
        return lanes.constant(node.value, node.type)
    if node.op == "cast":
        return args[0].differs(0) if node.type == BOOL else converted(args[0], DataType.parse(node.type))
    if node.op in _EXTREMES:
        return _extreme_of(node, *args)
    if node.op in FUNCTIONS:
        return FUNCTIONS[node.op].emit(*args)
    return (_INTEGER_FORMS.get(node.op) or _FORMS[node.op])(*args)


def converted(x: Vector, data_type: DataType) -> Vector:
    """Values as elements of a type, as CAST converts them; truth values count as 0 and 1."""
    target = data_type.numpy_dtype
    if x.type == target:
        return x
    if x.type == BOOL:
        if target.kind == "f":
            return converted(x.step("uitofp", FLOAT64 if target == FLOAT64 else FLOAT32), data_type)
        return x.step("zext", target)
    name = convert_value(x.lanes.e, x.name, x.scalar_name, DataType.parse(x.type), data_type, x.lanes.count)
    return x.lanes.named(name, target)
