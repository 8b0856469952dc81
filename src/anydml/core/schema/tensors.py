"""Tensor descriptions as JSON has them: DirectML's field names, nested or collapsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anydml.core.describing import C_FIELDS, TENSOR_FIELD
from anydml.core.errors import InvalidDescriptionError, Violation, shortened, shown
from anydml.core.fixes import REMOVE_ONE, Add, Advice, Describe, Fix, Use, suggest
from anydml.core.integers import read_integer
from anydml.core.outside import answer, as_entries, as_integer, as_text
from anydml.core.rules import rule
from anydml.core.tensor import TensorDesc

NOT_A_TENSOR = rule("tensor.kind", "A tensor is a TensorDesc, or an object with DataType and Sizes.")
TENSOR_TYPE = rule("tensor.type", "A tensor's Type is BUFFER, the only one there is.")
_WRAPPERS = {"Type", "Desc", "type", "desc"}
_BUFFER_TYPES = ("BUFFER", "DML_TENSOR_TYPE_BUFFER")


def read_tensor(value: Any, path: str, violations: list[Violation]) -> TensorDesc | None:
    """A TensorDesc from itself or from an object; problems are noted under `path`."""
    if isinstance(value, TensorDesc):
        return value
    entries = as_entries(value)
    if entries is None:
        violations.append(NOT_A_TENSOR(path, _called(value), "a tensor description", _description_of(value)))
        return None
    inner = _unwrapped(entries, path, violations)
    arguments = None if inner is None else _arguments(inner, path, violations)
    if arguments is None:
        return None
    try:
        return TensorDesc(**arguments)
    except InvalidDescriptionError as error:
        violations += [violation.under(path) for violation in error.violations]
        return None


def _called(value: Any) -> str:
    """An array is told by its type and shape, not by its numbers."""
    told = answer(lambda: f"an array of {value.dtype} and shape {tuple(value.shape)}", "")
    return shown(told).strip("'") if told and not isinstance(value, type) else shown(value)


def _description_of(value: Any) -> Fix:
    """How to describe what was given: arrays describe themselves, whatever library they are of."""
    is_array = answer(lambda: hasattr(value, "dtype") and hasattr(value, "shape"), False)
    if not is_array and not answer(lambda: hasattr(value, "__dlpack__"), False):
        return Describe("FLOAT32", (2, 3))
    try:
        TensorDesc.from_array(value)
    except InvalidDescriptionError as error:
        inner = error.violations[0].fix
        return Advice(f"TensorDesc.from_array(array), after {inner}" if inner else "TensorDesc(...)")
    except Exception:  # a foreign array may refuse in any way
        return Advice("TensorDesc.from_array(array) of its data on the CPU")
    return Advice("TensorDesc.from_array(array)")


def _unwrapped(value: Mapping[str, Any], path: str, violations: list[Violation]) -> Mapping[str, Any] | None:
    """The inner description where DML_TENSOR_DESC's own two fields are spelt out; None where those are wrong."""
    given = {key: entry for key, entry in value.items() if entry is not None}
    inner = given.get("Desc", given.get("desc"))
    if inner is None:
        return value
    before = len(violations)
    if not set(given) <= _WRAPPERS:
        expected, fix = "one description: in Desc, or without it", REMOVE_ONE
        violations.append(TENSOR_FIELD(f"{path}.Desc", "Desc beside other fields", expected, fix))
    for key in ("Type", "Desc"):
        if key in given and key.lower() in given:
            both, where = f"{key} and {key.lower()}", f"{path}.{key.lower()}"
            violations.append(TENSOR_FIELD(where, both, f"one of {both}", REMOVE_ONE))
    for key in ("Type", "type"):
        _check_type(given.get(key), f"{path}.{key}", violations)
    fields = as_entries(inner)
    if fields is None:
        violations.append(TENSOR_FIELD(f"{path}.Desc", shown(inner), "an object", "DataType and Sizes inside {}"))
    return fields if len(violations) == before else None


def _under(path: str, key: object) -> str:
    return f"{path}.{shortened(as_text(key) or shown(key))}"


def _check_type(value: Any, path: str, violations: list[Violation]) -> None:
    is_buffer = (as_text(value) or "").strip().upper() in _BUFFER_TYPES
    if value is not None and not is_buffer:
        violations.append(TENSOR_TYPE(path, shown(value), "BUFFER, the only type there is", Use("BUFFER")))


def _arguments(value: Mapping[str, Any], path: str, violations: list[Violation]) -> dict[str, Any] | None:
    arguments: dict[str, Any] = {}
    before = len(violations)
    for key, entry in value.items():
        if key == "TotalTensorSizeInBytes" and as_integer(entry) == 0:
            continue  # in a model, 0 asks for the size to be worked out
        if key in C_FIELDS:
            arguments[C_FIELDS[key]] = entry
        elif key == "Type":
            _check_type(entry, f"{path}.Type", violations)
        elif key != "DimensionCount":
            violations.append(
                TENSOR_FIELD(
                    _under(path, key), shown(key), "a field of a tensor", suggest(as_text(key) or "", C_FIELDS)
                )
            )
    for key in ("DataType", "Sizes"):
        if C_FIELDS[key] not in arguments:
            violations.append(TENSOR_FIELD(f"{path}.{key}", "nothing", f"{key} of the tensor", Add(C_FIELDS[key])))
    count, sizes = value.get("DimensionCount"), value.get("Sizes")
    if count is not None and isinstance(sizes, (list, tuple)):
        dimensions = read_integer(count, f"{path}.DimensionCount", violations)
        if dimensions is not None and dimensions != len(sizes):
            expected, fix = f"{len(sizes)} as Sizes has", Use(len(sizes))
            violations.append(TENSOR_FIELD(f"{path}.DimensionCount", dimensions, expected, fix))
    return arguments if len(violations) == before else None
