"""DirectML's enumerations in Python form; the values are DirectML's numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, IntFlag
from typing import Any, TypeVar

import numpy as np

from anydml.core.errors import InvalidDescriptionError, Violation, shown
from anydml.core.fixes import suggest
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule

UNKNOWN_MEMBER = rule(
    "enum.known", "An enumeration's value is one of its members, by name (with or without prefix) or number."
)
MEMBER_LEVEL = rule("enum.level", "Some members came with a later feature level.")
Member = TypeVar("Member", bound="DmlEnum")


class DmlEnum(Enum):
    """An enumeration that reads DirectML's spellings."""

    @classmethod
    def prefix(cls) -> str:
        """`PaddingMode` -> `DML_PADDING_MODE_`."""
        return "DML_" + "_".join(re.findall("[A-Z][a-z]*", cls.__name__)).upper() + "_"

    @classmethod
    def parse(cls: type[Member], value: Any, path: str = "") -> Member:
        if isinstance(value, cls):
            return value
        word = value.strip().upper().removeprefix(cls.prefix()) if isinstance(value, str) else ""
        number = value if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else None
        found = next((member for member in cls if member.name == word or member.value == number), None)
        if found is None:
            names = list(cls.__members__)
            asked = str(value) if isinstance(value, (bool, np.bool_)) else word[:64]
            expected, fix = f"one of {', '.join(names)}", suggest(asked, names)
            raise InvalidDescriptionError(UNKNOWN_MEMBER(path or cls.__name__, shown(value), expected, fix))
        return found


class ReduceFunction(DmlEnum):
    """What REDUCE does with the elements along its axes."""

    ARGMAX = 0
    ARGMIN = 1
    AVERAGE = 2
    L1 = 3
    L2 = 4
    LOG_SUM = 5
    LOG_SUM_EXP = 6
    MAX = 7
    MIN = 8
    MULTIPLY = 9
    SUM = 10
    SUM_SQUARE = 11


class MatrixTransform(DmlEnum):
    """How a matrix is read before it is multiplied."""

    NONE = 0
    TRANSPOSE = 1


class ConvolutionMode(DmlEnum):
    """Whether a convolution flips its filter."""

    CONVOLUTION = 0
    CROSS_CORRELATION = 1


class ConvolutionDirection(DmlEnum):
    """Forward, or backward (a transposed convolution)."""

    FORWARD = 0
    BACKWARD = 1


class PaddingMode(DmlEnum):
    """Where padding takes its values from."""

    CONSTANT = 0
    EDGE = 1
    REFLECTION = 2
    SYMMETRIC = 3
    WRAP = 4


class InterpolationMode(DmlEnum):
    """How a resampled value is found."""

    NEAREST_NEIGHBOR = 0
    LINEAR = 1


class RecurrentNetworkDirection(DmlEnum):
    """The order in which a recurrent network sees its sequence."""

    FORWARD = 0
    BACKWARD = 1
    BIDIRECTIONAL = 2


class RoundingMode(DmlEnum):
    """How ROUND chooses a whole number."""

    HALVES_TO_NEAREST_EVEN = 0
    TOWARD_ZERO = 1
    TOWARD_INFINITY = 2


class IsInfinityMode(DmlEnum):
    """Which infinities IS_INFINITY looks for."""

    EITHER = 0
    POSITIVE = 1
    NEGATIVE = 2


class AxisDirection(DmlEnum):
    """Which end of an axis comes first."""

    INCREASING = 0
    DECREASING = 1


class DepthSpaceOrder(DmlEnum):
    """How blocks lie in the depth of DEPTH_TO_SPACE1 and SPACE_TO_DEPTH1."""

    DEPTH_COLUMN_ROW = 0
    COLUMN_ROW_DEPTH = 1


class MultiheadAttentionMaskType(DmlEnum):
    """What the mask of an attention tells about keys and queries."""

    NONE = 0
    KEY_SEQUENCE_LENGTH = 1
    KEY_SEQUENCE_END_START = 2
    KEY_QUERY_SEQUENCE_LENGTH_START_END = 3
    BOOLEAN = 4


class QuantizationType(DmlEnum):
    """The tensors that QUANTIZE and DEQUANTIZE have beside their input."""

    NONE = 0
    SCALE = 1
    SCALE_ZERO_POINT = 2


class RandomGeneratorType(DmlEnum):
    """How random bits are made."""

    PHILOX_4X32_10 = 0


class BindingType(DmlEnum):
    """What is bound to a tensor."""

    NONE = 0
    BUFFER = 1
    BUFFER_ARRAY = 2


class ExecutionFlags(IntFlag):
    """How a compiled operator may run."""

    NONE = 0
    ALLOW_HALF_PRECISION_COMPUTATION = 1
    DISABLE_META_COMMANDS = 2
    DESCRIPTORS_VOLATILE = 4

    @classmethod
    def parse(cls, value: ExecutionFlags | int | str | Sequence[str] | None, path: str = "") -> ExecutionFlags:
        """Flags from the enum, a number, a name with or without prefix, or a list of names."""
        if value is None:
            return cls.NONE
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 7:
            return cls(value)
        names = value.split("|") if isinstance(value, str) else value
        flags = cls.NONE
        for name in names if isinstance(names, (list, tuple)) else [names]:
            word = name if isinstance(name, str) else ""
            found = cls.__members__.get(word.strip().upper().removeprefix("DML_EXECUTION_FLAG_"))
            if found is None:
                known = list(cls.__members__)
                expected = f"some of {', '.join(known)}"
                fix = suggest(word[:64].upper(), known)
                raise InvalidDescriptionError(UNKNOWN_MEMBER(path or "ExecutionFlags", shown(name), expected, fix))
            flags |= found
        return flags


MEMBER_LEVELS: dict[Enum, FeatureLevel] = {
    PaddingMode.SYMMETRIC: FeatureLevel.LEVEL_3_0,
    PaddingMode.WRAP: FeatureLevel.LEVEL_6_4,
}


def check_member_level(member: object, level: FeatureLevel, path: str) -> list[Violation]:
    """Whether this member exists at the level."""
    needed = MEMBER_LEVELS.get(member) if isinstance(member, Enum) else None
    if needed is None or level >= needed:
        return []
    expected = f"a member of feature level {level.text}"
    assert isinstance(member, Enum)
    return [MEMBER_LEVEL(path, member.name, expected, feature_level=needed.text)]
