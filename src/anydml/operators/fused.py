"""Fused activations inside array programs."""

from __future__ import annotations

from typing import Any

from anydml.core.functions import ArrayFunctions


def apply_activation(xp: Any, x: Any, activation: Any) -> Any:
    """The activation of an array, or the array itself where there is none."""
    if activation is None:
        return x
    if activation.form == "formula":
        # Formulas may use functions that array libraries lack, such as erf.
        return activation.formula(ArrayFunctions(xp), x)
    if activation.form == "equivalent":
        return apply_activation(xp, x, activation.equivalent())
    return activation.compute(xp, x)
