"""Array programs at work on the host: operators' definitions on NumPy arrays. Slow, and trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core import nibbles
from anydml.core.convert import convert
from anydml.core.datatype import DataType
from anydml.core.expression import convert_array, evaluate
from anydml.core.functions import NUMPY
from anydml.core.memory import Bytes
from anydml.core.schema import Operator
from anydml.core.steps import Access, Nest, Program, View

Array = npt.NDArray[Any]


def element_view(data: Bytes, access: Access, sizes: tuple[int, ...]) -> Array:
    """The elements of an access, as an array over the memory; NumPy checks that none lies outside."""
    size = access.type.element_bytes
    # A loop that runs once takes no step, however long.
    steps = [stride * size if count > 1 else 0 for stride, count in zip(access.strides, sizes, strict=True)]
    return np.ndarray(sizes, access.type.numpy_dtype, data, access.offset * size, steps)


def read_elements(data: Bytes, access: Access, sizes: tuple[int, ...]) -> Array:
    """The elements of an access: a view, or of 4-bit types, two of which share a byte, an unpacked copy."""
    if not access.type.is_packed_pair:
        return element_view(data, access, sizes)
    return nibbles.read(data, offsets_of(access, sizes), access.type)


def write_elements(data: Bytes, access: Access, values: Array) -> None:
    """Store values of the right type; nothing between or around the elements changes."""
    if access.type.is_packed_pair:
        nibbles.write(data, offsets_of(access, values.shape), values)
    else:
        element_view(data, access, values.shape)[...] = values


def offsets_of(access: Access, sizes: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """The place of every element, counted in elements."""
    offsets = np.full(sizes, access.offset, np.intp)
    for axis, (size, stride) in enumerate(zip(sizes, access.strides, strict=True)):
        steps = np.arange(size, dtype=np.intp) * (stride if size > 1 else 0)
        offsets += steps.reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    return offsets


def converted(values: Array, data_type: DataType) -> Array:
    """Values as elements of a data type, as CAST converts them."""
    if values.dtype == np.bool_:
        values = values.astype(np.uint8)
    if values.dtype == data_type.numpy_dtype and not data_type.is_packed_pair:
        return values
    return convert(values, DataType.parse(values.dtype), data_type)


def store_nest(nest: Nest, memory: Sequence[Bytes | None], result: Array | None = None) -> None:
    """A nest by the definitions of its expressions, on whole arrays.

    All values are computed before any is stored: a store may overwrite what another expression reads.
    """
    operands = {n: read_elements(_bytes(memory, a.slot), a, nest.sizes) for n, a in enumerate(nest.loads)}
    values = [evaluate(store.value, operands, result) for store in nest.stores]
    for store, value in zip(nest.stores, values, strict=True):
        spread = np.broadcast_to(converted(value, store.access.type), nest.sizes)
        if any(np.may_share_memory(spread, operand) for operand in operands.values()):
            spread = spread.copy()
        write_elements(_bytes(memory, store.access.slot), store.access, spread)


def run_program(program: Program, memory: Sequence[Bytes | None], widest: bool) -> None:
    """The operator's program on logical arrays, then one rounding store of each output; `widest` uses float64."""
    operator = program.operator
    arrays = [None if view is None else _load(operator, view, memory, widest) for view in program.inputs]
    with np.errstate(all="ignore"):
        results = results_of(operator, _evaluate(operator, arrays))
    for point, nest in zip(operator.points("output"), program.outputs, strict=True):
        if nest is not None:
            assert point.tensor is not None
            value = np.broadcast_to(converted(np.asarray(results[point.name]), point.tensor.data_type), nest.sizes)
            store_nest(nest, memory, value)


def _bytes(memory: Sequence[Bytes | None], slot: int) -> Bytes:
    data = memory[slot]
    assert data is not None
    return data


def _load(operator: Operator, view: View, memory: Sequence[Bytes | None], widest: bool) -> Array:
    array = read_elements(_bytes(memory, view.slot), view.access, view.sizes)
    if array.dtype.kind != "f" or operator.only_moves:
        return array
    if widest:
        return convert_array(array, np.dtype(np.float64))
    # Half precision is for storage: sums and exponentials in it lose what float32 keeps.
    return convert_array(array, np.dtype(np.float32)) if array.dtype == np.float16 else array


def _evaluate(operator: Any, arrays: list[Array | None]) -> Any:
    if operator.form == "formula":
        return operator.formula(NUMPY, *arrays)
    return operator.compute(NUMPY, **named_inputs(operator, arrays))


def named_inputs(operator: Operator, arrays: Sequence[Any]) -> dict[str, Any]:
    """Arrays by the names of their fields; lists of tensors as tuples."""
    found: dict[str, Any] = {f.name: () if f.is_list else None for f in operator.tensor_fields() if f.is_input}
    for point, array in zip(operator.points("input"), arrays, strict=True):
        name = point.field.name
        found[name] = (*found[name], array) if point.field.is_list else array
    return found


def results_of(operator: Operator, results: Any) -> dict[str, Any]:
    """What a program returned, by output point: one value, or a dictionary; lists of outputs are spread out."""
    if not isinstance(results, dict):
        first = next(point for point in operator.points("output") if point.tensor is not None)
        return {first.name: results}
    spread: dict[str, Any] = {}
    for name, value in results.items():
        if isinstance(value, (list, tuple)):
            spread |= {f"{name}[{i}]": item for i, item in enumerate(value)}
        else:
            spread[name] = value
    return spread
