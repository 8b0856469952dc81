"""Rounding to whole numbers."""

from __future__ import annotations

from typing import Any

from anydml.core.enums import RoundingMode
from anydml.core.schema import Enumeration, attribute
from anydml.operators.elementwise import ScaledUnary, Unary, scaled


class ElementWiseCeil(ScaledUnary, since="1.0", id=7):
    """The lowest whole number that is not below x."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.ceil(scaled(m, x, self.scale_bias))


class ElementWiseFloor(ScaledUnary, since="1.0", id=12):
    """The highest whole number that is not above x."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.floor(scaled(m, x, self.scale_bias))


class ElementWiseRound(Unary, since="2.1", id=99):
    """The nearest whole number, halves to even or away from zero (TOWARD_INFINITY), or the next one toward zero."""

    rounding_mode: RoundingMode = attribute(Enumeration(RoundingMode), default=RoundingMode.HALVES_TO_NEAREST_EVEN)

    def formula(self, m: Any, x: Any) -> Any:
        if self.rounding_mode is RoundingMode.HALVES_TO_NEAREST_EVEN:
            return m.rint(x)
        if self.rounding_mode is RoundingMode.TOWARD_ZERO:
            return m.trunc(x)
        # The largest number below a half: a half itself would lift what lies just below one.
        nearly_half = 0.5 - float(m.finfo(x.dtype).epsneg) / 2
        return m.trunc(x + m.copysign(x.dtype.type(nearly_half), x))
