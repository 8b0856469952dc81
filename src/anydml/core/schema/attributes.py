"""The types of attribute an operator can have, and how each is read from what a user wrote."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.enums import DmlEnum, check_member_level
from anydml.core.errors import MOST_VIOLATIONS, InvalidDescriptionError, Violation, counted, shown
from anydml.core.fixes import Advice, Use, suggest, unquoted
from anydml.core.integers import read_integer, read_list
from anydml.core.levels import FeatureLevel
from anydml.core.naming import pascal
from anydml.core.outside import answer, as_entries, as_integer, as_text
from anydml.core.rules import rule

UNSIGNED = rule("attribute.unsigned", "A UINT is a whole number from 0 to 2^32 - 1.")
SIGNED = rule("attribute.signed", "An INT is a whole number from -2^31 to 2^31 - 1.")
NUMBER = rule("attribute.number", "A FLOAT is a number.")
MINIMUM = rule("attribute.minimum", "Counts, strides and the like have a least value.")
AXIS = rule("attribute.axis", "An axis is one of the tensor's dimensions, counted from 0, and named once.")
TYPE_OF = rule("scalar.data-type", "The data type beside a scalar is that of the tensor it is for.")
BOOLEAN = rule("attribute.boolean", "A BOOL is true or false (or 1 or 0).")
SCALAR_KIND = rule("scalar.kind", "A scalar union holds a number of the data type beside it.")
SCALAR_RANGE = rule("scalar.range", "A scalar union's number fits its data type.")
SIZE_2D = rule("attribute.size-2d", "A SIZE_2D has a Width and a Height.")
SCALE_BIAS = rule("attribute.scale-bias", "A scale-bias is two numbers, Scale and Bias.")

Known = Mapping[str, Any]


def round_to(value: Any, kind: Any) -> Any:
    """The nearest number a float type has; what is too large becomes infinite."""
    try:
        number = float(value)
    except OverflowError:  # an integer beyond every float
        number = math.inf if value > 0 else -math.inf
    with np.errstate(over="ignore"):
        return kind(number)


class AttributeType:
    """A type of attribute: its DirectML name, and how a value is read."""

    type_name = ""

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> Any:
        """The value in Python form; problems are noted, and None returned, when there are any."""
        raise NotImplementedError(f"{type(self).__name__} is abstract")

    def check_shape(self, value: Any, operator: Any, path: str) -> Iterable[Violation]:
        """What the operator's tensors say about the value: axes inside their ranks. Other checks rely on it."""
        return ()

    def check(self, value: Any, operator: Any, level: FeatureLevel, path: str) -> Iterable[Violation]:
        """What the feature level and the types of tensors say about the value."""
        return ()


@dataclass(frozen=True)
class Integer(AttributeType):
    """UINT or INT: 32 bits, and no less than a minimum."""

    signed: bool = False
    minimum: int | None = None

    @property
    def type_name(self) -> str:  # type: ignore[override]
        return "INT" if self.signed else "UINT"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> int | None:
        number = read_integer(value, path, violations)
        low, high = (-(1 << 31), (1 << 31) - 1) if self.signed else (0, (1 << 32) - 1)
        if number is None or low <= number <= high:
            if number is not None and self.minimum is not None and number < self.minimum:
                violations.append(MINIMUM(path, number, f"at least {self.minimum}", Use(self.minimum)))
            return number
        limits = SIGNED if self.signed else UNSIGNED
        violations.append(limits(path, number, f"{low} to {high}"))
        return None


@dataclass(frozen=True)
class Axis(Integer):
    """A UINT that names a dimension of a tensor."""

    tensor: str = "input_tensor"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> int | None:
        number = read_integer(value, path, violations)
        if number is None or number >= 0:
            return number if number is None else super().read(number, path, violations, known)
        tensor = known.get(self.tensor)
        first = tensor[0] if isinstance(tensor, tuple) and tensor else tensor
        rank = getattr(first, "rank", 0)
        # Counted from the end, as Python does; where that leads outside, the first dimension is as good as any.
        fix = Use(number + rank if -rank <= number else 0) if rank else None
        expected = f"0 to {rank - 1}" if rank else "0 or more"
        violations.append(AXIS(path, number, expected, fix))
        return None

    def check_shape(self, value: Any, operator: Any, path: str) -> Iterator[Violation]:
        tensor = getattr(operator, self.tensor)
        first = tensor[0] if isinstance(tensor, tuple) and tensor else tensor
        rank = getattr(first, "rank", None)
        if rank is not None and value >= rank:
            yield AXIS(path, value, f"0 to {rank - 1}", Use(rank - 1))


class Float(AttributeType):
    """FLOAT: a 32-bit number, infinities and NaN included."""

    type_name = "FLOAT"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> float | None:
        text = as_text(value)
        if text is not None and text.lower() in ("nan", "inf", "-inf"):
            return float(text)
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            violations.append(NUMBER(path, shown(value), "a number", unquoted(value)))
            return None
        return float(round_to(value, np.float32))


class Boolean(AttributeType):
    """BOOL."""

    type_name = "BOOL"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> bool | None:
        if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and as_integer(value) in (0, 1)):
            return bool(value)
        violations.append(BOOLEAN(path, shown(value), "true or false"))
        return None


@dataclass(frozen=True)
class Enumeration(AttributeType):
    """ENUM: a member of one of DirectML's enumerations, or a data type."""

    of: type[DmlEnum] | type[DataType]

    @property
    def type_name(self) -> str:  # type: ignore[override]
        prefix = "DML_TENSOR_DATA_TYPE_" if self.of is DataType else self.of.prefix()  # type: ignore[union-attr]
        return f"ENUM:{prefix[:-1]}"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> Any:
        try:
            return self.of.parse(value, path)
        except InvalidDescriptionError as error:
            violations += error.violations
            return None

    def check(self, value: Any, operator: Any, level: FeatureLevel, path: str) -> Iterable[Violation]:
        return check_member_level(value, level, path)


@dataclass(frozen=True)
class TypeOf(Enumeration):
    """A data type that is the type of a tensor, beside a scalar for it."""

    of: type[DataType] = DataType
    tensor: str = "output_tensor"

    def check(self, value: Any, operator: Any, level: FeatureLevel, path: str) -> Iterator[Violation]:
        tensor = getattr(operator, self.tensor)
        if tensor is not None and value is not tensor.data_type:
            expected = f"{tensor.data_type.name} as {pascal(self.tensor)}"
            yield TYPE_OF(path, value.name, expected, Use(tensor.data_type.name))


@dataclass(frozen=True)
class Array(AttributeType):
    """A list of values of one type."""

    of: AttributeType

    @property
    def type_name(self) -> str:  # type: ignore[override]
        return f"{self.of.type_name}_ARRAY"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> tuple[Any, ...] | None:
        given = read_list(value, path, violations, "values", fix=f"[{shown(value)}]")
        if given is None:
            return None
        items = enumerate(takewhile(lambda _: len(violations) <= MOST_VIOLATIONS, given))
        return tuple(self.of.read(item, f"{path}[{i}]", violations, known) for i, item in items)

    def check_shape(self, value: Any, operator: Any, path: str) -> Iterator[Violation]:
        for i, item in enumerate(value):
            yield from self.of.check_shape(item, operator, f"{path}[{i}]")

    def check(self, value: Any, operator: Any, level: FeatureLevel, path: str) -> Iterator[Violation]:
        for i, item in enumerate(value):
            yield from self.of.check(item, operator, level, f"{path}[{i}]")


@dataclass(frozen=True)
class Axes(Array):
    """A list of dimensions of a tensor, each named once."""

    of: AttributeType = Axis()

    def check_shape(self, value: Any, operator: Any, path: str) -> Iterator[Violation]:
        yield from super().check_shape(value, operator, path)
        seen: set[int] = set()
        for i, axis in enumerate(value):
            if axis in seen:
                fix = Advice("leaving it out")
                yield AXIS(f"{path}[{i}]", f"axis {axis} again", f"each of {counted(len(value), 'axis')} once", fix)
            seen.add(axis)


@dataclass(frozen=True)
class Scalar(AttributeType):
    """SCALAR_UNION: a number of the type that a field beside it names."""

    type_field: str
    wraps: bool = False
    """Whether a negative number stands for its two's complement in an unsigned type."""
    type_name = "SCALAR_UNION"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> int | float | None:
        kind = known.get(self.type_field)
        if kind is None:
            return None  # the type itself was wrong and is reported
        entries = as_entries(value)
        if entries is not None:
            value = self._from_union(entries, kind, path, violations)
            if value is None:
                return None
        text = as_text(value)
        if text is not None and kind.is_float and text.lower() in ("nan", "inf", "-inf"):
            return float(text)
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            violations.append(SCALAR_KIND(path, shown(value), f"a number of type {kind.name}"))
            return None
        if kind.is_float:
            return float(round_to(value, kind.numpy_dtype.type))
        return self._integer(value, kind, path, violations)

    @staticmethod
    def _from_union(value: Mapping[str, Any], kind: DataType, path: str, violations: list[Violation]) -> Any:
        wanted = kind.name.capitalize().replace("Uint", "UInt")
        matching = [entry for name, entry in value.items() if (as_text(name) or "").lower() == wanted.lower()]
        if len(matching) == 1 and len(value) == 1:
            return matching[0]
        # C has no 16-bit float: DirectML's union holds the bits of one in UInt16.
        bits = value.get("UInt16") if kind is DataType.FLOAT16 and len(value) == 1 else None
        if isinstance(bits, int) and not isinstance(bits, bool) and 0 <= bits < 1 << 16:
            return float(np.uint16(bits).view(np.float16))
        violations.append(SCALAR_KIND(path, shown(dict(value)), f"{{{wanted!r}: number}}", "a plain number"))
        return None

    def _integer(self, value: Any, kind: DataType, path: str, violations: list[Violation]) -> int | None:
        low, high = kind.range
        low = min(low, -high) if self.wraps else low
        whole = as_integer(value)
        if whole is None and math.isfinite(value) and value == int(value):
            whole = int(value)
        if whole is None:
            violations.append(SCALAR_KIND(path, shown(value), f"a whole number of type {kind.name}"))
        elif not low <= whole <= high:
            violations.append(SCALAR_RANGE(path, shown(value), f"{low} to {high} ({kind.name})"))
        else:
            return whole
        return None


def _pair(value: Any) -> tuple[Any, Any] | None:
    """Two values, where somebody wrote so many."""
    items = answer(lambda: [*value], None) if isinstance(value, (list, tuple)) else None
    return (items[0], items[1]) if items is not None and len(items) == 2 else None


@dataclass(frozen=True)
class Size2D(AttributeType):
    """SIZE_2D: a width and a height."""

    type_name = "SIZE_2D"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> tuple[int, int] | None:
        """Always (width, height), DirectML's order."""
        folded = {(as_text(key) or "").lower(): entry for key, entry in (as_entries(value) or {}).items()}
        if folded.keys() == {"width", "height"}:
            value = (folded["width"], folded["height"])
        pair = _pair(value)
        if pair is None:
            violations.append(SIZE_2D(path, shown(value), "(width, height)", "{'Width': 2, 'Height': 2}"))
            return None
        read = Integer().read
        width = read(pair[0], f"{path}.Width", violations, known)
        height = read(pair[1], f"{path}.Height", violations, known)
        return None if width is None or height is None else (width, height)


@dataclass(frozen=True)
class ScaleBias(AttributeType):
    """SCALE_BIAS: x becomes x * scale + bias."""

    type_name = "SCALE_BIAS"

    def read(self, value: Any, path: str, violations: list[Violation], known: Known) -> tuple[float, float] | None:
        entries = as_entries(value)
        if entries is not None:
            unknown = [as_text(key) or "" for key in entries if as_text(key) not in ("Scale", "Bias")]
            if unknown or len(entries) != 2:
                fix = suggest(unknown[0], ["Scale", "Bias"]) if unknown else "both Scale and Bias"
                violations.append(SCALE_BIAS(path, shown(entries), "Scale and Bias", fix))
                return None
            value = (entries["Scale"], entries["Bias"])
        pair = _pair(value)
        if pair is None:
            violations.append(SCALE_BIAS(path, shown(value), "(scale, bias)", "{'Scale': 1, 'Bias': 0}"))
            return None
        read = Float().read
        scale = read(pair[0], f"{path}.Scale", violations, known)
        bias = read(pair[1], f"{path}.Bias", violations, known)
        return None if scale is None or bias is None else (scale, bias)
