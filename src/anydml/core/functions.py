"""The functions that formulas are written with, on arrays of a library that follows NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from anydml.core import special


class ArrayFunctions:
    """A library's own functions, and those it lacks. Formulas get one as `m`."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def erf(self, x: Any) -> Any:
        """The error function, computed in float64."""
        return special.erf(self._library, x.astype("float64")).astype(x.dtype)

    def erfc(self, x: Any) -> Any:
        """1 - erf(x), computed in float64."""
        return special.erfc(self._library, x.astype("float64")).astype(x.dtype)

    def bitwise_count(self, x: Any) -> Any:
        """The number of bits that are 1 (of the absolute value), as the type of x."""
        return self._library.bitwise_count(x).astype(x.dtype)


NUMPY = ArrayFunctions(np)
