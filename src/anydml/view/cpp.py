"""Operators and graphs as C++: DirectML's structures filled in, ready to paste into a program."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.outside import as_text
from anydml.core.rules import rule
from anydml.core.schema import Array, Operator, Scalar, TensorField
from anydml.core.schema.fields import AttributeField, CountField, Field
from anydml.core.tensor import TensorDesc
from anydml.core.text import encodable, printable
from anydml.graph.graph import ConstantNode, Graph, OperatorNode

NAME = rule("cpp.name", "Variables in C++ are named after a text.")
_MOST_BYTES_SHOWN = 256
_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const consteval
        constexpr constinit continue decltype default delete do double else enum explicit export extern false float for
        friend goto if inline int long mutable namespace new noexcept not nullptr operator or private protected public
        register requires return short signed sizeof static struct switch template this throw true try typedef typeid
        typename union unsigned using virtual void volatile while xor main
        """,
    )
)
"""Words that C++ keeps for itself, of those that have no capital and no underscore; and the function it starts with."""


def to_cpp(described: Operator | Graph, name: str = "") -> str:
    """The statements that fill in the structures, for the body of a function."""
    if isinstance(described, Graph):
        return "\n".join(_graph(described))
    text = as_text(name)
    if text is None:
        raise InvalidDescriptionError(NAME("name", shown(name), "a text", "str(...)"), "to_cpp")
    return "\n".join(_operator(described, identifier(text) if text else ""))


def identifier(text: str) -> str:
    """A name that C++ takes: `conv 1` -> `conv1`, `block/gate` -> `blockGate`."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", text) if word]
    joined = "".join(word[:1].upper() + word[1:] for word in words) or "unnamed"
    joined = joined[:1].lower() + joined[1:]
    return f"_{joined}" if joined[0].isdigit() or joined in _WORDS else joined


def comment(text: str) -> str:
    """A text that stays in its comment, whatever it holds: without a backslash, or ??/ for one, where the line ends.

    It is ASCII, since compilers differ in what they read other characters as.
    """
    return encodable(printable(re.sub(r"\?(?=\?)", "? ", text[:100].replace("\\", "/"))), "ascii")


def _name(prefix: str, *words: str) -> str:
    """`aTensorSizes`, or `gemmATensorSizes` where a prefix tells operators apart."""
    joined = "".join(word[:1].upper() + word[1:] for word in words)
    return prefix + joined if prefix else joined[:1].lower() + joined[1:]


# Operators


def _operator(operator: Operator, prefix: str) -> Iterator[str]:
    struct = f"DML_{operator.dml_type}_OPERATOR_DESC"
    desc = _name(prefix, "desc")
    assignments = []
    for field in operator.struct_fields():
        lines, value = _field(operator, field, prefix)
        yield from lines
        assignments += [f"{desc}.{line};" for line in value]
    yield f"{struct} {desc} = {{}};"
    yield from assignments
    yield f"const DML_OPERATOR_DESC {_name(prefix, 'operatorDesc')} = {{ DML_OPERATOR_{operator.dml_type}, &{desc} }};"


def _field(operator: Operator, field: Field | CountField, prefix: str) -> tuple[list[str], list[str]]:
    """What is declared before the structure, and what is assigned to its member."""
    member = field.dml_name
    if isinstance(field, CountField):
        return [], [f"{member} = {operator.count(field)}"]
    value = getattr(operator, field.name)
    if value is None:
        return [], [f"{member} = {'0.0f' if field.type_name == 'FLOAT' else 'nullptr'}"]
    if isinstance(field, TensorField):
        return _tensors(field, value, prefix)
    return _attribute(operator, field, value, prefix)


def _tensors(field: TensorField, value: Any, prefix: str) -> tuple[list[str], list[str]]:
    member = field.dml_name
    if not field.is_list:
        return [*_tensor(value, _name(prefix, member))], [f"{member} = &{_name(prefix, member)}"]
    names = [_name(prefix, f"{member}{i}") for i in range(len(value))]
    lines = [line for name, each in zip(names, value, strict=True) for line in _tensor(each, name)]
    array = _name(prefix, member)
    return [*lines, f"const DML_TENSOR_DESC {array}[] = {{ {', '.join(names)} }};"], [f"{member} = {array}"]


def _tensor(tensor: TensorDesc, name: str) -> Iterator[str]:
    packed = "  // packed" if tensor.has_implicit_strides else ""
    flag = "DML_TENSOR_FLAG_OWNED_BY_DML" if tensor.is_owned_by_dml else "DML_TENSOR_FLAG_NONE"
    yield f"const UINT {name}Sizes[] = {{ {_list(tensor.sizes)} }};"
    yield f"const UINT {name}Strides[] = {{ {_list(tensor.strides)} }};{packed}"
    yield f"DML_BUFFER_TENSOR_DESC {name}Buffer = {{}};"
    yield f"{name}Buffer.DataType = {tensor.data_type.dml_name};"
    yield f"{name}Buffer.Flags = {flag};"
    yield f"{name}Buffer.DimensionCount = {tensor.rank};"
    yield f"{name}Buffer.Sizes = {name}Sizes;"
    yield f"{name}Buffer.Strides = {name}Strides;"
    yield f"{name}Buffer.TotalTensorSizeInBytes = {tensor.total_tensor_size_in_bytes};"
    yield f"{name}Buffer.GuaranteedBaseOffsetAlignment = {tensor.guaranteed_base_offset_alignment};"
    yield f"const DML_TENSOR_DESC {name} = {{ DML_TENSOR_TYPE_BUFFER, &{name}Buffer }};"
    yield ""


def _attribute(operator: Operator, field: AttributeField, value: Any, prefix: str) -> tuple[list[str], list[str]]:
    member, kind = field.dml_name, field.type_name
    name = _name(prefix, member)
    if kind == "FUSED_ACTIVATION":
        return [*_operator(value, name), ""], [f"{member} = &{_name(name, 'operatorDesc')}"]
    if kind == "FUSED_ACTIVATION_ARRAY":
        return _activations(value, member, name)
    if kind == "SCALE_BIAS":
        return [f"const DML_SCALE_BIAS {name} = {{ {_list(map(_float, value))} }};"], [f"{member} = &{name}"]
    if kind == "SIZE_2D":
        return [], [f"{member} = {{ {_list(value)} }}"]
    if isinstance(field.type, Scalar):
        return [], [f"{member}.{_scalar(value, getattr(operator, field.type.type_field))}"]
    if isinstance(field.type, Array):
        if not value:
            return [], [f"{member} = nullptr"]
        ctype = field.type.of.type_name
        return [f"const {ctype} {name}[] = {{ {_list(map(_plain, value))} }};"], [f"{member} = {name}"]
    return [], [f"{member} = {_plain(value)}"]


def _activations(value: Sequence[Operator], member: str, name: str) -> tuple[list[str], list[str]]:
    lines = [line for i, each in enumerate(value) for line in (*_operator(each, f"{name}{i}"), "")]
    names = [_name(f"{name}{i}", "operatorDesc") for i in range(len(value))]
    if not names:
        return [], [f"{member} = nullptr"]
    return [*lines, f"const DML_OPERATOR_DESC {name}[] = {{ {', '.join(names)} }};"], [f"{member} = {name}"]


# Values


def _list(values: Any) -> str:
    return ", ".join(map(str, values))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, DataType):
        return value.dml_name
    return f"{value.prefix()}{value.name}" if hasattr(value, "prefix") else str(value)


def _float(value: float, suffix: str = "f") -> str:
    """The shortest text that is this number again."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    text = str(np.float32(value)) if suffix else repr(float(value))
    return f"{text if any(c in text for c in '.e') else text + '.0'}{suffix}"


def _scalar(value: float, kind: DataType) -> str:
    """The member of DML_SCALAR_UNION for a type, and its value; C++ has no type for half precision."""
    if kind is DataType.FLOAT16:
        bits = int(np.array(value, np.float16).view(np.uint16))
        return f"UInt16 = 0x{bits:04X}"
    if kind.is_float:
        return f"{kind.name.capitalize()} = {_float(float(value), 'f' if kind is DataType.FLOAT32 else '')}"
    member = kind.name.capitalize().replace("Uint", "UInt").replace("nt4", "nt8")
    if kind.bits < 64:
        return f"{member} = {int(value)}"
    if kind.is_signed:
        return f"{member} = {int(value)}LL" if int(value) > kind.range[0] else f"{member} = {int(value) + 1}LL - 1"
    return f"{member} = {int(value) & kind.range[1]}ULL"


# Graphs


def _graph(graph: Graph) -> Iterator[str]:
    """Each node, then the edges between them."""
    for index, node in enumerate(graph.nodes):
        name = f"node{index}"
        yield f"// {name}: {comment(str(node))}"
        yield from _operator(node.operator, name) if isinstance(node, OperatorNode) else _constant(node, name)
        yield ""
    edges = (
        ("DML_INPUT_GRAPH_EDGE_DESC", "inputEdges", [_numbers(edge) for edge in graph.input_edges]),
        (
            "DML_INTERMEDIATE_GRAPH_EDGE_DESC",
            "intermediateEdges",
            [_numbers(edge) for edge in graph.intermediate_edges],
        ),
        ("DML_OUTPUT_GRAPH_EDGE_DESC", "outputEdges", [_numbers(edge) for edge in graph.output_edges]),
    )
    for struct, name, entries in edges:
        if entries:
            yield f"const {struct} {name}[] = {{"
            yield from (f"    {{ {entry}, nullptr }}," for entry in entries)
            yield "};"


def _numbers(edge: Any) -> str:
    """The indices of an edge: its fields stand in DirectML's order."""
    return _list(vars(edge).values())


def _constant(node: ConstantNode, name: str) -> Iterator[str]:
    if node.data.size > _MOST_BYTES_SHOWN:
        yield f"const BYTE* {name}Data = nullptr;  // {node.data.size} bytes of your own"
    else:
        yield f"const BYTE {name}Data[] = {{ {_list(node.data.tolist())} }};"
    yield f"const DML_CONSTANT_DATA_GRAPH_NODE_DESC {name}Desc = {{ {name}Data, {node.data.size}, nullptr }};"
