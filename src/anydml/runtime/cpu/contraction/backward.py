"""CONVOLUTION in the backward direction: outputs that lie a stride apart are a forward convolution of their own.

Output element o takes what input element i gives through tap k where i * stride + k * dilation = o + padding. All o
with the same remainder modulo the stride take the same taps, and i moves with o one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product as combinations
from math import gcd, prod
from typing import Any

from anydml.core.enums import ConvolutionMode
from anydml.core.expression import FLOAT32, Node, constant, substitute
from anydml.core.steps import Access, Nest, Store, View, without_unused_loads
from anydml.runtime.cpu.contraction.cells import FLOATS, Source
from anydml.runtime.cpu.contraction.filtered import Filtered, filters_of, three
from anydml.runtime.cpu.contraction.results import Finished
from anydml.runtime.cpu.contraction.windows import Windows

MOST_PHASES = 32


@dataclass(frozen=True)
class Phase:
    """Along one dimension: the outputs from `first` on, `stride` apart, and the taps that they take."""

    first: int
    stride: int
    outputs: int
    tap: int
    """The first tap; others follow `tap_step` apart."""
    tap_step: int
    taps: int
    start: int
    """What output 0 takes through the first tap."""
    dilation: int


def phases_of(size: int, window: int, stride: int, dilation: int, padding: int) -> list[Phase]:
    """All phases of a dimension of the output."""
    found = []
    step = stride // gcd(stride, dilation)
    for first in range(min(stride, size)):
        taps = [tap for tap in range(window) if (first + padding - tap * dilation) % stride == 0]
        start = (first + padding - taps[0] * dilation) // stride if taps else 0
        outputs = -(-(size - first) // stride)
        tap = taps[0] if taps else 0
        found.append(Phase(first, stride, outputs, tap, step, len(taps), start, -step * dilation // stride))
    return found


def split_backward(
    operator: Any, x: View, weights: View, nest: Nest, done: Finished
) -> Iterator[tuple[Filtered | Nest, Finished]] | None:
    """For each phase a forward convolution, or a nest where outputs take nothing, and what becomes of it."""
    sizes = zip(
        nest.sizes[2:],
        weights.sizes[2:],
        operator.strides,
        operator.dilations,
        operator.start_padding,
        strict=True,
    )
    phases = [phases_of(*each) for each in sizes]
    if prod(map(len, phases)) > MOST_PHASES:
        return None
    return (_split_one(operator, x, weights, nest, done, chosen) for chosen in combinations(*phases))


def _split_one(
    operator: Any, x: View, weights: View, nest: Nest, done: Finished, phases: tuple[Phase, ...]
) -> tuple[Filtered | Nest, Finished]:
    seen = _done(done, phases)
    if all(phase.taps for phase in phases):
        return _filtered(operator, x, weights, nest, phases), seen
    sizes = (*nest.sizes[:2], *(phase.outputs for phase in phases))
    return _nest_of_nothing(sizes, seen), seen


def _nest_of_nothing(sizes: tuple[int, ...], done: Finished) -> Nest:
    """Sums without a term."""

    def replaced(node: Node) -> Node | None:
        return constant(0.0, FLOAT32) if node.op == "result" else None

    values = [substitute(value, replaced) for value in done.values]
    stores = tuple(Store(access, value) for access, value in zip(done.stores, values, strict=True))
    return without_unused_loads(Nest(sizes, done.loads, stores))


def _filtered(operator: Any, x: View, weights: View, nest: Nest, phases: tuple[Phase, ...]) -> Filtered:
    groups = operator.group_count
    channels = weights.sizes[0] // groups
    batch = (nest.sizes[0], groups)
    windows = Windows(
        x.slot,
        Source(x.type, FLOATS),
        x.offset,
        batch,
        (x.strides[0], channels * x.strides[1]),
        channels,
        x.strides[1],
        three([phase.outputs for phase in phases], 1),
        three(x.sizes[2:], 1),
        three(x.strides[2:], 0),
        (1, 1, 1),
        three([phase.start for phase in phases], 0),
        three([phase.taps for phase in phases], 1),
        three([phase.dilation for phase in phases], 1),
    )
    turned = replace(
        weights,
        sizes=(weights.sizes[1], channels, *weights.sizes[2:]),
        strides=(weights.strides[1], weights.strides[0], *weights.strides[2:]),
    )
    filters = filters_of(turned, turned.sizes[0], batch, operator.mode is ConvolutionMode.CONVOLUTION)
    taps = zip(phases, filters.depth_strides[len(filters.depth) - 1 - len(phases) : -1], strict=True)
    offset = filters.offset + sum(phase.tap * stride for phase, stride in taps)
    steps = three([phase.tap_step for phase in phases], 1)
    strides = [stride * step for stride, step in zip(filters.depth_strides, steps, strict=False)]
    matrix = replace(
        filters,
        offset=offset,
        depth=(*windows.taps, channels),
        depth_strides=(*strides, filters.depth_strides[-1]),
        batch_strides=(0, channels * weights.strides[0]),
    )
    return Filtered(matrix, windows, batch)


def _done(done: Finished, phases: tuple[Phase, ...]) -> Finished:
    """Every access seen from the outputs of a phase."""

    def seen(access: Access) -> Access:
        spatial = list(zip(phases, access.strides[2:], strict=True))
        offset = access.offset + sum(phase.first * stride for phase, stride in spatial)
        strides = (*access.strides[:2], *(phase.stride * stride for phase, stride in spatial))
        return replace(access, strides=strides, offset=offset)

    return replace(done, loads=tuple(map(seen, done.loads)), stores=tuple(map(seen, done.stores)), after=())
