"""Fused activations: which there are, a random one, and what it does to a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.cases.framework import Draw
from tests.oracle.formulas import ACTIVATIONS
from tests.oracle.inexact import Inexact, apply
from tests.oracle.pointwise import clip

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
LIMITED = {"Type": "ELEMENT_WISE_CLIP", "Desc": {"Min": -0.5, "Max": 1.25}}


def draw_activation(draw: Draw, name: str) -> dict[str, Any]:
    """This activation, with parameters that multiply without rounding."""
    return {"Type": name, "Desc": {key.capitalize(): 2.0 ** draw.integer(-1, 1) for key in FUSABLE[name]}}


def draw_fused(draw: Draw, also: Sequence[dict[str, Any]] = ()) -> dict[str, Any] | None:
    """A fused activation, one of those that this operator takes besides, or none."""
    found = draw.cycle("fused activation", (None, *FUSABLE, *range(len(also))))
    if isinstance(found, int):
        return also[found]
    return found and draw_activation(draw, found)


def function_of(fused: dict[str, Any] | None) -> Callable[[float], float]:
    if fused is None:
        return lambda value: value
    named = {key.lower(): number for key, number in fused["Desc"].items()}
    if fused["Type"] == "ELEMENT_WISE_CLIP":
        return lambda value: clip(value, named["min"], named["max"])
    return lambda value: ACTIVATIONS[fused["Type"]](value, **named)


def apply_fused(fused: dict[str, Any] | None, value: float) -> float:
    return function_of(fused)(value)


def fuse(fused: dict[str, Any] | None, number: Inexact) -> Inexact:
    """The same for a number with an error."""
    return number if fused is None else apply(function_of(fused), number)
