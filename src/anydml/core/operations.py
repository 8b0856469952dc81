"""The operations of expressions, each with one meaning: its definition on arrays, and how exact devices are.

A device has its own form of each operation; tests compare every form with the definition here. `ulp` is the largest
difference allowed, in units of the last place of the type computed in; 0 means bit for bit.

Floats follow IEEE 754; `minimum` and `maximum` hand NaN on, and every NaN is as good as another. Of zeros of both signs
they give the second, as of all equal numbers. Integers keep their low bits. What processors leave undefined has a value
here: quotients and remainders by 0 are 0, the lowest integer divided by -1 is itself (its remainder 0), and shifts by
the width of the type or more leave no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anydml.core.expression import BOOL, ElementType, Node
from anydml.core.functions import NUMPY

NUMBERS, FLOATS, INTEGERS, TRUTHS = "iuf", "f", "iu", "b"
"""NumPy's letters for the types that an operation takes."""


@dataclass(frozen=True)
class Operation:
    """An operation: the types it takes, what it returns, its definition and its tolerance."""

    name: str
    takes: str
    returns_truth: bool
    define: Callable[..., Any]
    ulp: float

    def result_type(self, args: Sequence[Node]) -> ElementType:
        """The type of the result; arguments of other types, or of several, are a mistake in a formula."""
        types = {arg.type for arg in (args[1:] if self.name == "where" else args)}
        if len(types) != 1 or next(iter(types)).kind not in self.takes:
            raise TypeError(f"{self.name} of {', '.join(str(arg.type) for arg in args)}")
        if self.name == "where" and args[0].type != BOOL:
            raise TypeError(f"where needs a comparison, not {args[0].type}")
        return BOOL if self.returns_truth else next(iter(types))


OPERATIONS: dict[str, Operation] = {}


def _declare(names: str, takes: str, ulp: float = 0, returns_truth: bool = False) -> None:
    """Operations whose definition is NumPy's function of that name, or ours where it has none."""
    for name in names.split():
        OPERATIONS[name] = Operation(name, takes, returns_truth, getattr(NUMPY, name), ulp)


_declare("add subtract multiply negative absolute minimum maximum floor_divide remainder fmod", NUMBERS)
_declare("divide sqrt copysign floor ceil trunc rint", FLOATS)
_declare("bitwise_and bitwise_or bitwise_xor invert", INTEGERS + TRUTHS)
_declare("left_shift right_shift bitwise_count truncate_divide integer_power", INTEGERS)
_declare("equal not_equal less less_equal greater greater_equal", NUMBERS, returns_truth=True)
_declare("where", NUMBERS + TRUTHS)
_declare("exp expm1 log log1p sin cos tan arcsin arccos arctan", FLOATS, 2)
_declare("sinh cosh tanh arcsinh arccosh arctanh arctan2 power erf sigmoid", FLOATS, 2)
_declare("gelu", FLOATS, 2)
