"""The enumerations of PyDirectML; their numbers are DirectML's."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING

import anydml.operators  # noqa: F401 - declares them all
from anydml.core import enums
from anydml.core.datatype import DataType
from anydml.core.members import Members
from anydml.core.schema import OPERATORS
from anydml.core.tensor import TensorFlags as _Flags

_NEWEST_OPERATOR = "RESAMPLE"


class TensorDataType(IntEnum, metaclass=Members):
    """The type of a tensor's elements."""

    UNKNOWN = 0
    FLOAT32 = DataType.FLOAT32.id
    FLOAT16 = DataType.FLOAT16.id
    UINT32 = DataType.UINT32.id
    UINT16 = DataType.UINT16.id
    UINT8 = DataType.UINT8.id
    INT32 = DataType.INT32.id
    INT16 = DataType.INT16.id
    INT8 = DataType.INT8.id
    FLOAT64 = DataType.FLOAT64.id
    UINT64 = DataType.UINT64.id
    INT64 = DataType.INT64.id


class TensorFlags(IntEnum, metaclass=Members):
    """Flags of a tensor description."""

    NONE = int(_Flags.NONE)
    OWNED_BY_DML = int(_Flags.OWNED_BY_DML)


class MatrixTransform(IntEnum, metaclass=Members):
    """Whether a matrix is transposed before it is multiplied."""

    NONE = enums.MatrixTransform.NONE.value
    TRANSPOSE = enums.MatrixTransform.TRANSPOSE.value


class RecurrentNetworkDirection(IntEnum, metaclass=Members):
    """The order in which a recurrent network reads its sequence."""

    FORWARD = enums.RecurrentNetworkDirection.FORWARD.value
    BACKWARD = enums.RecurrentNetworkDirection.BACKWARD.value
    BIDIRECTIONAL = enums.RecurrentNetworkDirection.BIDIRECTIONAL.value


class OutputOptions(IntEnum, metaclass=Members):
    """Which outputs `gru` computes."""

    Both = 0
    Sequence = 1
    Single = 2


class ConvolutionMode(IntEnum, metaclass=Members):
    """Whether filters are mirrored."""

    CONVOLUTION = enums.ConvolutionMode.CONVOLUTION.value
    CROSS_CORRELATION = enums.ConvolutionMode.CROSS_CORRELATION.value


class ConvolutionDirection(IntEnum, metaclass=Members):
    """A convolution, or its transpose."""

    FORWARD = enums.ConvolutionDirection.FORWARD.value
    BACKWARD = enums.ConvolutionDirection.BACKWARD.value


class InterpolationMode(IntEnum, metaclass=Members):
    """How values between elements are found."""

    NEAREST_NEIGHBOR = enums.InterpolationMode.NEAREST_NEIGHBOR.value
    LINEAR = enums.InterpolationMode.LINEAR.value


class PaddingMode(IntEnum, metaclass=Members):
    """What the elements around a tensor are."""

    CONSTANT = enums.PaddingMode.CONSTANT.value
    EDGE = enums.PaddingMode.EDGE.value
    REFLECTION = enums.PaddingMode.REFLECTION.value


class ExecutionFlags(IntFlag, metaclass=Members):
    """How a model is compiled."""

    NONE = 0
    ALLOW_HALF_PRECISION_COMPUTATION = enums.ExecutionFlags.ALLOW_HALF_PRECISION_COMPUTATION.value
    DISABLE_META_COMMANDS = enums.ExecutionFlags.DISABLE_META_COMMANDS.value
    DESCRIPTORS_VOLATILE = enums.ExecutionFlags.DESCRIPTORS_VOLATILE.value


def _operator_numbers() -> dict[str, int]:
    """The operators up to feature level 2.0, by their numbers."""
    newest = OPERATORS[_NEWEST_OPERATOR].dml_id
    numbers = {name: cls.dml_id for name, cls in OPERATORS.items() if cls.dml_id <= newest}
    if "SCATTER_ELEMENTS" in numbers:
        numbers["SCATTER"] = numbers.pop("SCATTER_ELEMENTS")
    return {"INVALID": 0, **dict(sorted(numbers.items(), key=lambda item: item[1]))}


class _Numbers(IntEnum, metaclass=Members):
    """Numbers that make an enumeration when it is given its members."""


if TYPE_CHECKING:
    OperatorType = IntEnum("OperatorType", _operator_numbers())  # type: ignore[misc]
else:
    OperatorType = _Numbers("OperatorType", _operator_numbers(), module=__name__)
OperatorType.__doc__ = "The operators that PyDirectML names."

EXPORTED = (
    TensorDataType,
    TensorFlags,
    MatrixTransform,
    RecurrentNetworkDirection,
    ConvolutionMode,
    ConvolutionDirection,
    InterpolationMode,
    PaddingMode,
    ExecutionFlags,
    OperatorType,
)
"""Enumerations whose members are names of the module too; of equal names, the last one counts."""
