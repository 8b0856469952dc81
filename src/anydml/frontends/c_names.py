"""DirectML's own spellings: what a reader of its pages types, as names of `anydml`.

`DML_TENSOR_DATA_TYPE_FLOAT32` is `DataType.FLOAT32`, `DML_SLICE1_OPERATOR_DESC` is the class `Slice1`, and
`DMLCreateDevice` makes a `Device`. Each is found when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anydml.core import enums
from anydml.core.calling import answering
from anydml.core.datatype import PREFIX as TYPE_PREFIX
from anydml.core.datatype import DataType, DataTypeLike
from anydml.core.enums import DmlEnum, ExecutionFlags
from anydml.core.errors import InvalidDescriptionError, Violation, raise_if_any
from anydml.core.fixes import Use
from anydml.core.integers import Integers, read_integers
from anydml.core.levels import PREFIX as LEVEL_PREFIX
from anydml.core.levels import FeatureLevel, FeatureLevelLike
from anydml.core.outside import as_integer
from anydml.core.rules import rule
from anydml.core.schema import OPERATORS
from anydml.core.schema.tensors import read_tensor
from anydml.core.tensor import TensorDesc, TensorFlags, calc_buffer_tensor_size
from anydml.process.loading import load_module
from anydml.runtime.device import Device

COUNT = rule("c.dimension-count", "DimensionCount is the number of sizes.")
OPERATOR_PREFIX, DESC_PREFIX, DESC_SUFFIX = "DML_OPERATOR_", "DML_", "_OPERATOR_DESC"
FLAG_PREFIX, EXECUTION_PREFIX = "DML_TENSOR_FLAG_", "DML_EXECUTION_FLAG_"
LIMITS = {
    "DML_TENSOR_DIMENSION_COUNT_MAX": 5,
    "DML_TENSOR_DIMENSION_COUNT_MAX1": 8,
    "DML_TEMPORARY_BUFFER_ALIGNMENT": 256,
    "DML_PERSISTENT_BUFFER_ALIGNMENT": 256,
    "DML_MINIMUM_BUFFER_TENSOR_ALIGNMENT": 16,
}
"""Numbers that DirectML's header defines."""


@answering()
def DMLCalcBufferTensorSize(
    data_type: DataTypeLike,
    dimension_count: int | Sequence[int],
    sizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> int:
    """The least size in bytes of a buffer: DirectML's helper, with its arguments in its order.

    The count may be left out, since a list has a length: `DMLCalcBufferTensorSize("FLOAT32", [2, 3])`.
    """
    count = as_integer(dimension_count)
    if count is None:
        return calc_buffer_tensor_size(data_type, dimension_count, sizes if strides is None else strides)  # type: ignore[arg-type]
    counts = Integers() if sizes is None else read_integers(sizes, "Sizes", [])
    if sizes is not None and counts is not None and len(counts) != count:
        expected = f"{len(counts)} as Sizes has"
        raise InvalidDescriptionError(
            COUNT("DimensionCount", count, expected, Use(len(counts))), "DMLCalcBufferTensorSize"
        )
    known = counts if counts is not None and None not in counts else sizes  # what is wrong with them is told there
    return calc_buffer_tensor_size(data_type, known, strides)  # type: ignore[arg-type]


@answering()
def DMLCreateDevice(name: str = "cpu") -> Device:
    """A device of feature level 1.0, as DMLCreateDevice gives; `Device()` has the highest one."""
    return Device(name, "1.0")


@answering()
def DMLCreateDevice1(minimum_feature_level: FeatureLevelLike, name: str = "cpu") -> Device:
    """A device of at least this feature level: every device here has the highest one."""
    FeatureLevel.parse(minimum_feature_level)
    return Device(name)


@answering()
def DML_TENSOR_DESC(
    Type: str = "DML_TENSOR_TYPE_BUFFER",
    Desc: TensorDesc | None = None,
) -> TensorDesc:
    """DirectML wraps a buffer's description in another; here the description is all."""
    violations: list[Violation] = []
    inner = Desc.to_dict() if isinstance(Desc, TensorDesc) else Desc
    tensor = read_tensor({"Type": Type, "Desc": inner}, "", violations)
    raise_if_any(violations, subject="DML_TENSOR_DESC")
    assert tensor is not None
    return Desc if isinstance(Desc, TensorDesc) else tensor


FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (DMLCalcBufferTensorSize, DMLCreateDevice, DMLCreateDevice1, DML_TENSOR_DESC)
}


def constants() -> dict[str, Any]:
    """Every constant of DirectML's header that is a value here, by its full name."""
    found: dict[str, Any] = {member.dml_name: member for member in DataType}
    found |= {LEVEL_PREFIX + level.text.replace(".", "_"): level for level in FeatureLevel}
    found |= {FLAG_PREFIX + name: flag for name, flag in TensorFlags.__members__.items()}
    found |= {EXECUTION_PREFIX + name: flag for name, flag in ExecutionFlags.__members__.items()}
    for cls in vars(enums).values():
        if isinstance(cls, type) and issubclass(cls, DmlEnum) and cls is not DmlEnum:
            found |= {cls.prefix() + member.name: member for member in cls}
    return found | {"DML_TENSOR_TYPE_BUFFER": "BUFFER"} | LIMITS


def classes() -> dict[str, Any]:
    """Every structure of DirectML's header that is a class here, by its full name."""
    load_module("anydml.operators")
    found: dict[str, Any] = {"DML_BUFFER_TENSOR_DESC": TensorDesc}
    for name, cls in OPERATORS.items():
        found[f"{DESC_PREFIX}{name}{DESC_SUFFIX}"] = cls
        found[f"{OPERATOR_PREFIX}{name}"] = cls
    return found


def find(name: str) -> Any:
    """What DirectML calls this, or None."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    if name.startswith((TYPE_PREFIX, LEVEL_PREFIX, FLAG_PREFIX, EXECUTION_PREFIX)):
        return constants().get(name)
    if name.startswith(OPERATOR_PREFIX) or name.endswith("_DESC"):
        return classes().get(name)
    return constants().get(name)
