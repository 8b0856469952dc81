"""Expressions as CUDA C++: one line per node. Half precision is held as a float that has been rounded."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import BOOL, FLOAT32, FLOAT64, ElementType, Node, walk

FLOAT16 = np.dtype(np.float16)
_INFIX = {
    "divide": "/",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
_DIVISIONS = {"floor_divide": "floor_quotient", "remainder": "floor_modulo", "fmod": "modulo"}
_WRAPPING = {"add": "+", "subtract": "-", "multiply": "*"}
_FUNCTIONS = {
    "minimum": "least_of",
    "maximum": "largest_of",
    "sqrt": "sqrt",
    "copysign": "copysign",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "rint",
    "exp": "exp",
    "expm1": "expm1",
    "log": "log",
    "log1p": "log1p",
    "sin": "sin",
    "cos": "cos",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "cosh": "cosh",
    "tanh": "tanh",
    "erf": "erf",
}
_IN_DOUBLE = {
    "tan": "tan",
    "sinh": "sinh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "arctan2": "atan2",
    "power": "exact_power",
}
"""Functions whose form for float32 is less exact than operations are allowed to be."""


def c_type(dtype: ElementType) -> str:
    """The type that a value has while it is computed."""
    if dtype == BOOL:
        return "bool"
    if dtype.kind == "f":
        return "double" if dtype == FLOAT64 else "float"
    return dtype.name


def storage_type(data_type: DataType) -> str:
    """The type of an element in memory."""
    return "uint16" if data_type is DataType.FLOAT16 else c_type(data_type.numpy_dtype)


def loaded(text: str, data_type: DataType) -> str:
    """An element of memory as a value."""
    return f"half_to_float({text})" if data_type is DataType.FLOAT16 else text


def stored(text: str, dtype: ElementType, data_type: DataType) -> str:
    """A value as an element of memory, converted as CAST does; 4-bit types as an int."""
    if data_type is DataType.FLOAT16:
        if dtype == FLOAT64:
            return f"double_to_half({text})"
        return f"float_to_half({text if dtype.kind == 'f' else f'(float){text}'})"
    if data_type.is_packed_pair and dtype.kind == "f":
        return _to_integer(text, dtype, "int", *data_type.range)
    return f"(int){text}" if data_type.is_packed_pair else converted(text, dtype, data_type.numpy_dtype)


def converted(text: str, source: ElementType, target: ElementType) -> str:
    """A value as another type, as CAST converts it."""
    if source == target:
        return text
    if target == BOOL:
        return f"({text} != 0)"
    if target == FLOAT16:
        return f"half_to_float({stored(text, source, DataType.FLOAT16)})"
    if target.kind == "f":
        if source.kind == "f" and c_type(source) != c_type(target):
            return f"double_to_float({text})" if source == FLOAT64 else f"float_to_double({text})"
        return f"({c_type(target)}){text}"
    if source.kind == "f":
        return _to_integer(text, source, c_type(target), *DataType.parse(target).range)
    return f"({c_type(target)}){text}"


def _to_integer(text: str, source: ElementType, target: str, low: int, high: int) -> str:
    kind = FLOAT64 if source == FLOAT64 else FLOAT32
    limits = f"{constant_text(float(low), kind)}, {constant_text(float(high + 1), kind)}"
    return f"to_integer<{target}>({text}, {limits}, ({target}){_integer(low)}, ({target}){_integer(high)})"


def _integer(value: int) -> str:
    if value == -(1 << 63):
        return "(-9223372036854775807ll - 1)"
    return f"{value}ull" if value >= 1 << 63 else f"({value}ll)"


def constant_text(value: float | int | bool, dtype: ElementType) -> str:
    if dtype == BOOL:
        return "true" if value else "false"
    if dtype.kind != "f":
        return f"({c_type(dtype)}){_integer(int(value))}"
    if dtype == FLOAT64:
        return f"bits_double(0x{struct.unpack('<Q', struct.pack('<d', value))[0]:x}ull)"
    with np.errstate(all="ignore"):
        return f"bits_float(0x{np.float32(value).view(np.uint32):x}u)"


def operation_text(node: Node, args: Sequence[str]) -> str:
    """An operation on values."""
    op, dtype = node.op, node.args[-1].type
    if dtype == FLOAT16 and not (node.type == BOOL or op == "where"):
        return f"round_half({_float_text(op, FLOAT32, args)})"
    if op == "where":
        return f"({args[0]} ? {args[1]} : {args[2]})"
    if op in _INFIX and op != "divide":
        text = f"({args[0]} {_INFIX[op]} {args[1]})"
        return text if node.type == BOOL and dtype != BOOL else f"({c_type(node.type)}){text}"
    if dtype == BOOL:
        return f"(!{args[0]})"  # invert
    return _float_text(op, dtype, args) if dtype.kind == "f" else _integer_text(op, dtype, args)


def _float_text(op: str, dtype: ElementType, args: Sequence[str]) -> str:
    suffix = "f" if dtype == FLOAT32 else ""
    if op in _WRAPPING or op == "divide":
        return f"({args[0]} {_WRAPPING.get(op, '/')} {args[1]})"
    if op == "negative":
        return f"(-{args[0]})"
    if op == "absolute":
        return f"fabs{suffix}({args[0]})"
    if op in ("floor_divide", "remainder", "fmod"):
        return f"{_DIVISIONS[op]}({', '.join(args)})"
    if op in ("minimum", "maximum"):
        return f"{_FUNCTIONS[op]}({', '.join(args)})"
    if op in ("sigmoid", "gelu"):
        return f"{op}({args[0]})"
    if op in _IN_DOUBLE and dtype == FLOAT32:
        return f"(float){_IN_DOUBLE[op]}({', '.join(f'(double){arg}' for arg in args)})"
    if op in _IN_DOUBLE:
        return f"{_IN_DOUBLE[op]}({', '.join(args)})"
    return f"{_FUNCTIONS[op]}{suffix}({', '.join(args)})"


def _integer_text(op: str, dtype: ElementType, args: Sequence[str]) -> str:
    own, bits = c_type(dtype), dtype.itemsize * 8
    wide = "uint64" if bits == 64 else "uint32"
    if op in _WRAPPING:
        return f"({own})(({wide}){args[0]} {_WRAPPING[op]} ({wide}){args[1]})"
    if op == "negative":
        return f"({own})(0 - ({wide}){args[0]})"
    if op == "absolute":
        return f"({args[0]} < 0 ? ({own})(0 - ({wide}){args[0]}) : {args[0]})" if dtype.kind == "i" else args[0]
    if op == "invert":
        return f"({own})~{args[0]}"
    if op == "bitwise_count":
        size = _integer_text("absolute", dtype, args)
        unsigned = own.removeprefix("u")
        return f"({own})__popcll((uint64)(u{unsigned}){size})"
    if op in ("left_shift", "right_shift"):
        is_inside = f"(uint64){args[1]} < {bits}ull"
        if op == "left_shift":
            return f"({is_inside} ? ({own})(({wide}){args[0]} << (int){args[1]}) : ({own})0)"
        beyond = f"({args[0]} < 0 ? ({own})-1 : ({own})0)" if dtype.kind == "i" else f"({own})0"
        return f"({is_inside} ? ({own})({args[0]} >> (int){args[1]}) : {beyond})"
    names = {
        "floor_divide": "whole_floor_quotient",
        "remainder": "whole_floor_modulo",
        "fmod": "whole_modulo",
        "truncate_divide": "whole_quotient",
        "integer_power": "whole_power",
        "minimum": "least_of",
        "maximum": "largest_of",
    }
    return f"{names[op]}<{own}>({', '.join(args)})"


def lines_of(roots: Sequence[Node], leaves: Mapping[Node, str]) -> tuple[list[str], list[str]]:
    """A line for each node, and the name of each root's value. `leaves` are the texts of loads and results."""
    lines, names = [], dict(leaves)
    for number, node in enumerate(walk(*roots)):
        if node in names:
            continue
        if node.op == "constant":
            names[node] = constant_text(node.value, node.type)
            continue
        args = [names[arg] for arg in node.args]
        if node.op == "cast":
            text = converted(args[0], node.args[0].type, node.type)
        else:
            text = operation_text(node, args)
        names[node] = f"v{number}"
        lines.append(f"const {c_type(node.type)} v{number} = {text};")
    return lines, [names[root] for root in roots]
