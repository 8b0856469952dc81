"""Tensor descriptions as JSON has them: DirectML's field names, nested or collapsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anydml.core.errors import InvalidDescriptionError, Violation, shown
from anydml.core.integers import read_integer
from anydml.core.naming import suggest
from anydml.core.rules import rule
from anydml.core.tensor import TensorDesc

NOT_A_TENSOR = rule(
    "tensor.kind",
    "A tensor is a TensorDesc, or an object with DataType and Sizes.",
    "dml.ActivationRelu(input_tensor=[1, 2, 3])",
)
TENSOR_FIELD = rule(
    "tensor.field",
    "A tensor's object has DataType, Sizes and the other fields of DML_BUFFER_TENSOR_DESC, no others.",
    "dml.ActivationRelu(input_tensor={'DataType': 'FLOAT32', 'Size': [4]})",
)
_NAMES = {
    "DataType": "data_type",
    "Sizes": "sizes",
    "Strides": "strides",
    "Flags": "flags",
    "TotalTensorSizeInBytes": "total_tensor_size_in_bytes",
    "GuaranteedBaseOffsetAlignment": "guaranteed_base_offset_alignment",
}
_WRAPPERS = {"Type", "Desc", "type", "desc"}


def read_tensor(value: Any, path: str, violations: list[Violation]) -> TensorDesc | None:
    """A TensorDesc from itself or from an object; problems are noted under `path`."""
    if isinstance(value, TensorDesc):
        return value
    if not isinstance(value, Mapping):
        violations.append(NOT_A_TENSOR(path, shown(value), "a tensor description", "TensorDesc('FLOAT32', [2, 3])"))
        return None
    arguments = _arguments(_unwrapped(value), path, violations)
    if arguments is None:
        return None
    try:
        return TensorDesc(**arguments)
    except InvalidDescriptionError as error:
        violations += [violation.under(path) for violation in error.violations]
        return None


def _unwrapped(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inner description where DML_TENSOR_DESC's own two fields are spelt out."""
    inner = value.get("Desc", value.get("desc"))
    return inner if isinstance(inner, Mapping) and set(value) <= _WRAPPERS else value


def _arguments(value: Mapping[str, Any], path: str, violations: list[Violation]) -> dict[str, Any] | None:
    arguments: dict[str, Any] = {}
    before = len(violations)
    for key, entry in value.items():
        if key == "TotalTensorSizeInBytes" and entry == 0:
            continue  # in a model, 0 asks for the size to be worked out
        if key in _NAMES:
            arguments[_NAMES[key]] = entry
        elif key not in ("DimensionCount", "Type"):  # Type is BUFFER, the only one there is
            violations.append(
                TENSOR_FIELD(f"{path}.{key}", shown(key), "a field of a tensor", suggest(str(key), _NAMES))
            )
    for key in ("DataType", "Sizes"):
        if _NAMES[key] not in arguments:
            violations.append(TENSOR_FIELD(f"{path}.{key}", "nothing", f"{key} of the tensor", f"adding {key}"))
    count, sizes = value.get("DimensionCount"), value.get("Sizes")
    if count is not None and isinstance(sizes, (list, tuple)):
        dimensions = read_integer(count, f"{path}.DimensionCount", violations)
        if dimensions is not None and dimensions != len(sizes):
            expected, fix = f"{len(sizes)} as Sizes has", str(len(sizes))
            violations.append(TENSOR_FIELD(f"{path}.DimensionCount", dimensions, expected, fix))
    return arguments if len(violations) == before else None
