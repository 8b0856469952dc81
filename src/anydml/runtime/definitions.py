"""The definitions at work: every step done in the plainest way, on NumPy arrays. Slow, and trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core import nibbles
from anydml.core.convert import convert
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.core.memory import Bytes
from anydml.core.moves import Fill, Move
from anydml.core.schema import BindingPoint, Operator
from anydml.core.tensor import TensorDesc
from anydml.graph.plan import Compute, Step

Memory = Mapping[str, Bytes]
Array = npt.NDArray[Any]


def run_step(operator: Operator, step: Step, memory: Memory, widest: bool) -> None:
    """One step of a plan; `widest` computes floats in float64."""
    if isinstance(step, Compute):
        compute(operator, memory, widest)
    elif isinstance(step, Fill):
        kind = operator.tensor(step.destination).data_type
        value = fill_value(step.value, kind)
        write(
            memory[step.destination],
            step.destination_layout,
            kind,
            np.broadcast_to(value, step.destination_layout.sizes),
        )
    else:
        move(operator, step, memory)


def move(operator: Operator, step: Move, memory: Memory) -> None:
    kinds = operator.tensor(step.source).data_type, operator.tensor(step.destination).data_type
    values = read(memory[step.source], step.source_layout, kinds[0])
    if kinds[0] is not kinds[1] or step.scale_bias is not None:
        values = convert(values, *kinds, step.scale_bias)
    # A copy first: in place, with other strides, elements would be overwritten before they are read.
    write(memory[step.destination], step.destination_layout, kinds[1], values.copy())


def fill_value(value: int | float, kind: DataType) -> Array:
    """A constant as an element: fractions of whole-number types are cut off."""
    if isinstance(value, float) or kind.is_float:
        return convert(np.asarray(float(value)), DataType.FLOAT64, kind)
    return convert(np.asarray(value % (1 << 64), np.uint64), DataType.UINT64, kind)


def read(data: Bytes, layout: Layout, kind: DataType) -> Array:
    """The elements of a layout in this memory; a view, of an unpacked copy for 4-bit types."""
    elements = nibbles.unpack(data, kind).view(np.uint8) if kind.is_packed_pair else data
    return strided(elements, layout, kind)


def write(data: Bytes, layout: Layout, kind: DataType, values: Array) -> None:
    """Store values through a layout; nothing between or around its elements changes."""
    if kind.is_packed_pair:
        nibbles.write(data, layout.offsets(), values)
    else:
        strided(data, layout, kind)[...] = values


def strided(data: Bytes, layout: Layout, kind: DataType) -> Array:
    """The array NumPy sees through a layout; it checks that no element lies outside the memory."""
    size = kind.element_bytes
    steps = [stride * size for stride in layout.strides]
    return np.ndarray(layout.sizes, kind.numpy_dtype, data, offset=layout.offset * size, strides=steps)


def compute(operator: Operator, memory: Memory, widest: bool) -> None:
    """The operator's arithmetic on logical arrays, then one rounding store of each output."""
    inputs = {point.name: _load(operator, point, memory, widest) for point in operator.points("input")}
    with np.errstate(all="ignore"):
        results = _evaluate(operator, inputs)
    outputs = [point for point in operator.points("output") if point.tensor is not None]
    if not isinstance(results, dict):
        results = {outputs[0].name: results}
    for point in outputs:
        assert point.tensor is not None
        store(memory[point.name], point.tensor, np.asarray(results[point.name]))


def _evaluate(operator: Any, inputs: dict[str, Array | None]) -> Any:
    if hasattr(operator, "formula"):
        return operator.formula(np, *inputs.values())
    return operator.compute(np, **inputs)


def _load(operator: Operator, point: BindingPoint, memory: Memory, widest: bool) -> Array | None:
    tensor = point.tensor
    if tensor is None:
        return None
    array = read(memory[point.name], tensor.layout, tensor.data_type)
    if not tensor.data_type.is_float or operator.only_moves:
        return array
    if widest:
        return array.astype(np.float64)
    # Half precision is for storage: sums and exponentials in it lose what float32 keeps.
    return array.astype(np.float32) if tensor.data_type is DataType.FLOAT16 else array


def store(data: Bytes, tensor: TensorDesc, result: Array) -> None:
    """Round once to the output's type, and write through its strides."""
    kind = tensor.data_type
    if result.dtype != kind.numpy_dtype:
        computed = DataType.parse(result.dtype) if result.dtype != np.bool_ else DataType.UINT8
        result = convert(result.astype(np.uint8) if result.dtype == np.bool_ else result, computed, kind)
    write(data, tensor.layout, kind, np.broadcast_to(result, tensor.sizes))
