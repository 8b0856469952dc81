"""Operators run on NumPy arrays: for laws about whole tensors, whatever their layouts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
from anydml.runtime.programs import converted, named_inputs
from tests.operators.memory import DEVICES
from tests.operators.strict import STRICT, StrictArray, unwrapped

Array = npt.NDArray[Any]
WAYS = (*DEVICES, "strict")
"""Every device, and the program on a strict array library."""


def described(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Packed descriptions of arrays; those that are None stay out."""
    return {name: _described(array) for name, array in arrays.items() if array is not None}


def _described(array: Any) -> Any:
    return [_described(each) for each in array] if isinstance(array, list) else dml.TensorDesc.from_array(array)


def outputs_of(operator: dml.Operator, arrays: Mapping[str, Any], device: str = "cpu") -> dict[str, Array]:
    """Every output as an array, for inputs given as arrays of their elements (4-bit ones one to a byte)."""
    inputs = {name: array for name, array in arrays.items() if array is not None}
    if device == "strict":
        return _strict_outputs(operator, inputs)
    given = {name: _memory(operator, name, array) for name, array in inputs.items()}
    tensors = {point.name: point.tensor for point in operator.points("output") if point.tensor is not None}
    results = {name: np.zeros(desc.total_tensor_size_in_bytes, np.uint8) for name, desc in tensors.items()}
    dml.Device(device).compile(operator)(**given, **results)
    return {name: np.array(desc.view(results[name])) for name, desc in tensors.items()}


def _memory(operator: dml.Operator, name: str, array: Any) -> Any:
    if isinstance(array, list):
        return [_memory(operator, f"{name}[{i}]", each) for i, each in enumerate(array)]
    desc = operator.tensor(name)
    memory = np.zeros(desc.total_tensor_size_in_bytes, np.uint8)
    desc.store(memory, np.asarray(array).reshape(desc.sizes))
    return memory


def _strict_outputs(operator: Any, inputs: Mapping[str, Any]) -> dict[str, Array]:
    while operator.form == "equivalent":
        operator = operator.equivalent()
    arrays = []
    for point in operator.points("input"):
        bare, _, index = point.name.partition("[")
        array = inputs.get(bare)
        if array is not None:
            array = np.asarray(array[int(index[:-1])] if index else array).reshape(operator.tensor(point.name).sizes)
            array = StrictArray(array.astype(np.float32) if array.dtype == np.float16 else array)
        arrays.append(array)
    with np.errstate(all="ignore"):
        results = operator.compute(STRICT, **named_inputs(operator, arrays))
    named = results if isinstance(results, dict) else {operator.points("output")[0].name: results}
    tensors = {point.name: point.tensor for point in operator.points("output") if point.tensor is not None}
    return {name: converted(unwrapped(named[name]), desc.data_type) for name, desc in tensors.items()}
