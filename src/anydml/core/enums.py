"""DirectML's enumerations in Python form; the values are DirectML's numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, IntFlag
from typing import Any, TypeVar

import numpy as np

from anydml.core.errors import InvalidDescriptionError, Violation, shown
from anydml.core.fixes import suggest
from anydml.core.integers import read_list
from anydml.core.levels import FeatureLevel
from anydml.core.members import Members
from anydml.core.naming import closest
from anydml.core.outside import answer, as_integer, as_text
from anydml.core.rules import Rule, rule

UNKNOWN_MEMBER = rule(
    "enum.known", "An enumeration's value is one of its members, by name (with or without prefix) or number."
)
MEMBER_LEVEL = rule("enum.level", "Some members came with a later feature level.")
Member = TypeVar("Member", bound="DmlEnum")
Flags = TypeVar("Flags", bound=IntFlag)
_MOST_SHOWN = 12


def unknown_number(cls: type[Enum], value: Any) -> InvalidDescriptionError:
    """Why an enumeration, called, has no member of this value: it is called with numbers, and not with names."""
    members = {name: member.value for name, member in cls.__members__.items()}
    meant = answer(lambda: cls.parse(value).name, None)  # type: ignore[attr-defined]
    near = meant or closest(as_text(value) or "", members) or next(iter(members))
    numbers = ", ".join(f"{number} ({name})" for name, number in [*members.items()][:_MOST_SHOWN])
    more = ", ..." if len(members) > _MOST_SHOWN else ""
    fix = f"{cls.__name__}.{near}"
    return InvalidDescriptionError(UNKNOWN_MEMBER(cls.__name__, shown(value), f"one of {numbers}{more}", fix))


class DmlEnum(Enum, metaclass=Members):
    """An enumeration that reads DirectML's spellings."""

    @classmethod
    def prefix(cls) -> str:
        """`PaddingMode` -> `DML_PADDING_MODE_`."""
        return "DML_" + "_".join(re.findall("[A-Z][a-z]*", cls.__name__)).upper() + "_"

    @classmethod
    def parse(cls: type[Member], value: Any, path: str = "") -> Member:
        if isinstance(value, cls):
            return value
        word = (as_text(value) or "").strip().upper().removeprefix(cls.prefix())
        number = as_integer(value)
        found = next((member for member in cls if member.name == word or member.value == number), None)
        if found is None:
            names = list(cls.__members__)
            asked = str(value) if isinstance(value, (bool, np.bool_)) else word[:64]
            expected, fix = f"one of {', '.join(names)}", suggest(asked, names)
            raise InvalidDescriptionError(UNKNOWN_MEMBER(as_text(path) or cls.__name__, shown(value), expected, fix))
        return found


def read_flags(cls: type[Flags], value: Any, prefix: str, broken: Rule, path: str) -> Flags:
    """Flags from the enum, a number, a name with or without prefix, or a list of names."""
    number = as_integer(0 if value is None else value)
    known = list(cls.__members__)
    if number is not None and 0 <= number <= sum(cls.__members__.values()):
        return cls(number)
    text = as_text(value)
    names = read_list(value if text is None else text.split("|"), path, [])
    flags = cls(0)
    for name in [value] if names is None else names:
        word = (as_text(name) or "").strip().upper().removeprefix(prefix)
        if word not in known:
            fix = suggest(word[:64], known)
            raise InvalidDescriptionError(broken(path, shown(name), f"some of {', '.join(known)}", fix))
        flags |= cls[word]
    return flags


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


class ExecutionFlags(IntFlag, metaclass=Members):
    """How a compiled operator may run."""

    NONE = 0
    ALLOW_HALF_PRECISION_COMPUTATION = 1
    DISABLE_META_COMMANDS = 2
    DESCRIPTORS_VOLATILE = 4

    @classmethod
    def parse(cls, value: ExecutionFlags | int | str | Sequence[str] | None, path: str = "") -> ExecutionFlags:
        """Flags from the enum, a number, a name with or without prefix, or a list of names."""
        return read_flags(cls, value, "DML_EXECUTION_FLAG_", UNKNOWN_MEMBER, as_text(path) or "ExecutionFlags")


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
