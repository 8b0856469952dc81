"""Data movement as pairs of layouts: what a moving operator means, with no arithmetic and no device."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.layout import Layout


@dataclass(frozen=True)
class Move:
    """Copy every element of one layout to the same index of another of equal sizes.

    Types differ for CAST; `scale_bias` makes x into x * scale + bias on the way.
    """

    source: str
    source_layout: Layout
    destination: str
    destination_layout: Layout
    scale_bias: tuple[float, float] | None = None


@dataclass(frozen=True)
class Fill:
    """Write one value to every element of a layout."""

    destination: str
    destination_layout: Layout
    value: int | float
