"""Fused activations: which there are, a random one, and what it does to a number."""

from __future__ import annotations

from typing import Any

from tests.cases.framework import Draw
from tests.oracle.formulas import ACTIVATIONS

FUSABLE = {
    "ELU": ("alpha",),
    "HARD_SIGMOID": ("alpha", "beta"),
    "IDENTITY": (),
    "LEAKY_RELU": ("alpha",),
    "LINEAR": ("alpha", "beta"),
    "PARAMETRIC_SOFTPLUS": ("alpha", "beta"),
    "RELU": (),
    "SCALED_ELU": ("alpha", "gamma"),
    "SCALED_TANH": ("alpha", "beta"),
    "SIGMOID": (),
    "SOFTPLUS": ("steepness",),
    "SOFTSIGN": (),
    "TANH": (),
    "THRESHOLDED_RELU": ("alpha",),
    "SHRINK": ("bias", "threshold"),
    "CELU": ("alpha",),
    "GELU": (),
}


def draw_fused(draw: Draw) -> dict[str, Any] | None:
    """A fused activation with parameters that multiply without rounding, or none."""
    name = draw.cycle("fused activation", (None, *FUSABLE))
    if name is None:
        return None
    return {"Type": name, "Desc": {key.capitalize(): 2.0 ** draw.integer(-1, 1) for key in FUSABLE[name]}}


def apply_fused(fused: dict[str, Any] | None, value: float) -> float:
    if fused is None:
        return value
    return ACTIVATIONS[fused["Type"]](value, **{key.lower(): number for key, number in fused["Desc"].items()})
