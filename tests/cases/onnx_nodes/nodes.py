"""One ONNX node test: its inputs, attributes and expected outputs, and how they become tensors of a case."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.cases.framework import Case, Operand
from tests.oracle.moves import Index, Tensor

Array = npt.NDArray[Any]
TYPES = {np.dtype(name.lower()): name for name in ("FLOAT64", "FLOAT32", "FLOAT16")} | {
    np.dtype(f"{sign}int{bits}"): f"{sign.upper()}INT{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
FOUR_BITS = ("int4", "uint4")
"""Types of another package than NumPy, one element to a byte."""
MOST_ELEMENTS = 20_000
"""Larger tests repeat what smaller ones say, and take long."""


class Untranslatable(Exception):
    """The test asks for something that DirectML does not have; the reason is its text."""


def data_type(array: Array) -> str:
    """DirectML has no booleans: they are bytes."""
    if array.dtype == np.bool_:
        return "UINT8"
    if str(array.dtype) in FOUR_BITS:
        return str(array.dtype).upper()
    if array.dtype not in TYPES:
        raise Untranslatable(f"data type {array.dtype}")
    return TYPES[array.dtype]


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Untranslatable(reason)


def operand(array: Array, sizes: Sequence[int] | None = None, strides: Sequence[int] | None = None) -> Operand:
    """A tensor with these elements; other sizes see the same elements in row-major order, or through strides."""
    kind = data_type(array)
    shape = tuple(array.shape if sizes is None else sizes) or (1,)
    require(0 not in shape, "a tensor without elements")
    require(len(shape) <= 8, "more than 8 dimensions")
    flat = np.ascontiguousarray(array).reshape(-1)
    codes = flat.view(f"u{flat.dtype.itemsize}").tolist()
    if kind.lower() in FOUR_BITS:
        codes = [code & 0xF for code in codes]
    if strides is None:
        return Operand(kind, shape, dict(zip(np.ndindex(shape), codes, strict=True)))
    bits = {i: codes[sum(k * s for k, s in zip(i, strides, strict=True))] for i in np.ndindex(shape)}
    return Operand(kind, shape, bits, tuple(strides))


def broadcast(array: Array, sizes: Sequence[int]) -> Operand:
    """A tensor of these sizes, in which dimensions that the array lacks or has once repeat its elements."""
    shape = (1,) * (len(sizes) - array.ndim) + array.shape
    steps = [1] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        steps[axis] = steps[axis + 1] * shape[axis + 1]
    strides = [0 if n == 1 else step for n, step in zip(shape, steps, strict=True)]
    return operand(array, tuple(sizes) or (1,), strides or [0])


def empty(array: Array, sizes: Sequence[int] | None = None, kind: str | None = None) -> Operand:
    """An output tensor for such an array."""
    shape = tuple(array.shape if sizes is None else sizes) or (1,)
    require(0 not in shape, "a tensor without elements")
    require(len(shape) <= 8, "more than 8 dimensions")
    return Operand(kind or data_type(array), shape)


def as_answer(array: Array, sizes: Index) -> Tensor:
    """The elements of an output by index; an array with fewer rows leaves the rest open."""
    shape = sizes if math.prod(sizes) == array.size else array.shape
    numbers = array.astype(np.int8) if str(array.dtype) in FOUR_BITS else array
    return dict(zip(np.ndindex(shape), numbers.reshape(-1).tolist(), strict=True))


@dataclass
class Node:
    """A test of one node, and the fields of the case that grows from it."""

    name: str
    op_type: str
    attributes: dict[str, Any]
    inputs: list[Array | None]
    outputs: list[Array]
    produced: list[int] = field(default_factory=list)
    """Which outputs of the operator these are."""
    fields: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Array] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    """Outputs that the test knows and DirectML leaves undefined."""

    def get(self, name: str, otherwise: Any = None) -> Any:
        return self.attributes.get(name, otherwise)

    def input(self, place: int) -> Array:
        found = self.inputs[place] if place < len(self.inputs) else None
        require(found is not None, f"input {place} is missing")
        assert found is not None
        return found

    def optional(self, place: int) -> Array | None:
        return self.inputs[place] if place < len(self.inputs) else None

    def integers(self, name: str, place: int) -> list[int] | None:
        """A list that is an attribute in older versions and an input in newer ones."""
        found = self.optional(place)
        if found is not None:
            return [int(number) for number in found.reshape(-1)]
        given = self.get(name)
        return None if given is None else list(given)

    def axis(self, rank: int, otherwise: int = -1) -> int:
        return int(self.get("axis", otherwise)) % rank

    def output(self, name: str, place: int = 0, sizes: Sequence[int] | None = None, kind: str | None = None) -> None:
        """Add an output, and what the test expects there."""
        self.fields[name] = empty(self.outputs[place], sizes, kind)
        self.answers[name] = self.outputs[place]

    def case(self, operator: str) -> Case:
        return Case(operator, {name: value for name, value in self.fields.items() if value is not None})

    def expected(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, arrays in self.answers.items():
            made = self.fields[name]
            if name in self.unknown:
                found[name] = {}
            elif isinstance(made, list):
                found[name] = [as_answer(a, o.sizes) for a, o in zip(arrays, made, strict=True)]
            else:
                found[name] = as_answer(arrays, made.sizes)
        return found


DOMAINS = ("", "ai.onnx.preview.training")
NARROWER = {np.dtype(f"{kind}8"): np.dtype(f"{kind}4") for kind in "fiu"}


def narrowed(node: Node) -> Node:
    """The same test with 32-bit numbers, where they hold the same values."""
    arrays = [a for a in (*node.inputs, *node.outputs) if a is not None and a.dtype in NARROWER]
    same = all(np.array_equal(a.astype(NARROWER[a.dtype]), a, equal_nan=a.dtype.kind == "f") for a in arrays)
    require(same, "values that need 64 bits")

    def narrow(array: Array | None) -> Any:
        return array if array is None else array.astype(NARROWER.get(array.dtype, array.dtype))

    return replace(
        node,
        inputs=[narrow(a) for a in node.inputs],
        outputs=[narrow(a) for a in node.outputs],
        fields={},
        answers={},
        unknown=set(),
    )


def _array(value: Any) -> Any:
    """An input or output of a test as an array, where it is a tensor."""
    import onnx

    if isinstance(value, np.generic):
        return np.asarray(value)
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def node_tests() -> Iterator[Node]:
    """Every published test of a single node whose inputs and outputs are tensors of moderate size."""
    import onnx
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package computes what it expects, overflows included
        tests = collect_testcases(None)
    for test in tests:
        graph = test.model.graph
        if len(graph.node) != 1 or graph.node[0].domain not in DOMAINS:
            continue
        given, wanted = ([_array(value) for value in side] for side in test.data_sets[0])
        if not all(isinstance(a, np.ndarray) and a.size <= MOST_ELEMENTS for a in (*given, *wanted)):
            continue
        node, named = graph.node[0], dict(zip([value.name for value in graph.input], given, strict=True))
        yield Node(
            test.name,
            node.op_type,
            {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute},
            [named.get(name) if name else None for name in node.input],
            wanted,
            [place for place, name in enumerate(node.output) if name],
        )
