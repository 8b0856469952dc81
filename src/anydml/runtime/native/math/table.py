"""The functions of expressions on vectors of float32, and how exact each is.

`ulp` is the largest difference found over dense samples, in units of the last place of float32, rounded up: what the
tests hold each function to, on every kind of processor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anydml.runtime.native.math import error, exponential, gelu, inverse, logarithm, power, tanh, trigonometric
from anydml.runtime.native.math.values import Vector


@dataclass(frozen=True)
class Function:
    """What writes a function's instructions, its largest error, and about how many operations it counts for."""

    emit: Callable[..., Vector]
    ulp: float
    operations: int = 20


FUNCTIONS = {
    "exp": Function(exponential.exp, 1.2),
    "expm1": Function(exponential.expm1, 1.3),
    "log": Function(logarithm.log, 1),
    "log1p": Function(logarithm.log1p, 1),
    "sin": Function(trigonometric.sin, 1.6),
    "cos": Function(trigonometric.cos, 1.6),
    "tan": Function(trigonometric.tan, 1.5),
    "arcsin": Function(inverse.arcsin, 1.2),
    "arccos": Function(inverse.arccos, 1.2),
    "arctan": Function(inverse.arctan, 1.4),
    "arctan2": Function(inverse.arctan2, 1.8),
    "sinh": Function(exponential.sinh, 1.4),
    "cosh": Function(exponential.cosh, 1.2),
    "tanh": Function(tanh.tanh, 2),
    "arcsinh": Function(logarithm.arcsinh, 1.8),
    "arccosh": Function(logarithm.arccosh, 2),
    "arctanh": Function(logarithm.arctanh, 1.8),
    "power": Function(power.power, 0.6),
    "erf": Function(error.erf, 1.8),
    "sigmoid": Function(exponential.sigmoid, 2),
    "gelu": Function(gelu.gelu, 2, operations=50),
}
