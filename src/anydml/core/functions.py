"""The functions that formulas are written with, on arrays of a library that follows NumPy's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anydml.core import special
from anydml.core.convert import cut_off


class ArrayFunctions:
    """A library's own functions, and those it lacks. Formulas get one as `m`, array programs as `xp`."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def cast(self, x: Any, dtype: Any) -> Any:
        """x as another type, converted as CAST does: floats to integers toward zero, held in range, NaN as 0."""
        wanted = np.dtype(dtype)
        if x.dtype.kind != "f" or wanted.kind not in "iu":
            return x.astype(wanted)
        limits = np.iinfo(wanted)
        return cut_off(self._library, x, wanted, (int(limits.min), int(limits.max)))

    def maximum(self, a: Any, b: Any) -> Any:
        """The larger of two; NaN is handed on. Of equal ones, such as zeros of both signs, it is the second.

        Which one a library takes depends on its version, on the type and on the processor.
        """
        return self._library.where((a > b) | (a != a), a, b) if _is_float(a, b) else self._library.maximum(a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        """The smaller of two; as `maximum` in all else."""
        return self._library.where((a < b) | (a != a), a, b) if _is_float(a, b) else self._library.minimum(a, b)

    def fold_maximum(self, a: Any, b: Any, out: Any = None) -> Any:
        """The larger of two where many become one; NaN is handed on, and of zeros of both signs it is either."""
        return self._library.maximum(a, b, out=out)

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        return self.minimum(self.maximum(x, low), high)

    def erf(self, x: Any) -> Any:
        """The error function, computed in float64."""
        return special.erf(self._library, x.astype("float64")).astype(x.dtype)

    def gelu(self, x: Any) -> Any:
        """x times the chance that a standard normal variable lies below x, erfc(-x / sqrt(2)) / 2, in float64.

        An operation of its own, since rounding x / sqrt(2) to x's type would cost the lower tail its digits.
        """
        wide = x.astype("float64")
        chance = 0.5 * special.erfc(self._library, wide * -math.sqrt(0.5))
        # Minus infinity is held back: times 0 it would be no number.
        return (self._library.maximum(wide, -float(np.finfo(np.float64).max)) * chance).astype(x.dtype)

    def sigmoid(self, x: Any) -> Any:
        """1 / (1 + e^-x); e is only raised to negative powers, so nothing overflows."""
        power = self._library.exp(-self._library.abs(x))
        return self._library.where(x < 0, power, 1) / (1 + power)

    def write_at(self, target: Any, places: Any, values: Any) -> None:
        """Write rows of an array; of two rows for one place the last stays."""
        target[places] = values

    def bitwise_count(self, x: Any) -> Any:
        """The number of bits that are 1 (of the absolute value), as the type of x."""
        return self._library.bitwise_count(x).astype(x.dtype)

    def truncate_divide(self, a: Any, b: Any) -> Any:
        """The quotient of integers, cut off toward zero; by 0 it is 0, and the lowest integer by -1 is itself."""
        library = self._library
        return library.floor_divide(a - library.fmod(a, b), b)

    def integer_power(self, x: Any, exponent: Any) -> Any:
        """The low bits of x to an integer exponent; of a negative one cut off toward zero, and 0 for x = 0."""
        library = self._library
        if x.dtype.kind == "u":
            return library.power(x, exponent)
        one = x.dtype.type(1)
        of_minus_one = library.where(exponent & one, -one, one)
        inverse = library.where(x == 1, one, library.where(x == -1, of_minus_one, x.dtype.type(0)))
        return library.where(exponent < 0, inverse, library.power(x, library.maximum(exponent, 0)))


def _is_float(*values: Any) -> bool:
    return any(getattr(value, "dtype", np.dtype(type(value))).kind == "f" for value in values)


NUMPY = ArrayFunctions(np)
