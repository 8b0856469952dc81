"""Depthwise convolutions as steps: a kernel of the device's own, which is faster than a library's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar

from anydml.core.expression import FLOAT32, Node, load, operation
from anydml.core.steps import Access, View
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cuda.products import activated
from anydml.runtime.cuda.text.depthwise import MOST_TAPS, DepthwiseKernel, Taps, Tensors

MOST_ROWS = 64
"""Source rows that a thread reads."""


@dataclass(frozen=True)
class DepthwiseStep:
    """A depthwise convolution with bias and activation."""

    source: View
    weights: View
    bias: View | None
    target: View
    taps: Taps
    padding: tuple[int, int]
    value: Node
    """The result, in terms of the sum (load 0) and the bias (load 1)."""

    @property
    def views(self) -> tuple[View | None, ...]:
        return self.source, self.weights, self.bias, self.target

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        for view in self.views[:3]:
            if view is not None:
                yield view.access, view.sizes

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        yield self.target.access, self.target.sizes

    def renamed(self, slot: Callable[[int], int]) -> DepthwiseStep:
        views = [None if view is None else replace(view, slot=slot(view.slot)) for view in self.views]
        source, weights, bias, target = views
        assert source is not None and weights is not None and target is not None
        return replace(self, source=source, weights=weights, bias=bias, target=target)

    def describe(self, names: Callable[[int], str]) -> str:
        sizes = f"{list(self.source.sizes)} * {list(self.taps.sizes)}"
        source, weights, target = (names(view.slot) for view in (self.source, self.weights, self.target))
        return f"depthwise {source} * {weights} -> {target} {sizes}"

    def kernel(self) -> DepthwiseKernel:
        types = tuple(view.type for view in self.views if view is not None)
        weights, sizes = self.weights.strides, self.target.sizes
        tensors = Tensors(
            sizes[0],
            sizes[1],
            _pair(self.source.sizes),
            _pair(sizes),
            self.padding,
            self.source.strides,
            (weights[0], weights[2], weights[3]),
            0 if self.bias is None or self.bias.sizes[1] == 1 else self.bias.strides[1],
            self.target.strides,
        )
        return DepthwiseKernel(types, self.taps, tensors, self.value)

    def prepared(self, driver: Any, is_fast: bool) -> _Prepared:
        return _Prepared(driver, self, self.kernel())


@dataclass(frozen=True)
class _Prepared:
    driver: Any
    step: DepthwiseStep
    kernel: DepthwiseKernel
    is_replayable: ClassVar[bool] = True

    def bind(self, memory: Memory) -> Run:
        addresses = []
        for view in self.step.views:
            buffer = None if view is None else memory[view.slot]
            start = 0 if view is None else view.offset * view.type.element_bytes
            addresses.append(0 if buffer is None else buffer.address + start)
        run: Run = self.driver.launcher(self.kernel.launch(addresses))
        return run


def _pair(numbers: Sequence[int]) -> tuple[int, int]:
    """The last two."""
    return numbers[-2], numbers[-1]


def is_depthwise(operator: Any, source: View, weights: View) -> bool:
    """Whether every channel has one window of its own, and neighbours of a row lie side by side."""
    channels = source.sizes[1]
    is_own = operator.group_count == channels == weights.sizes[0] and channels > 1
    return is_own and len(weights.sizes) == 4 and prod(weights.sizes[2:]) <= MOST_TAPS and source.strides[3] == 1


def depthwise_step(
    operator: Any, source: View, weights: View, bias: View | None, target: View, finishes: bool
) -> DepthwiseStep | None:
    """The step, with bias and activation if it finishes the result; None where windows lie far apart."""
    value: Node | None = load(0, FLOAT32)
    assert value is not None
    if finishes:
        if bias is not None:
            value = operation("add", value, load(1, FLOAT32))
        value = activated(value, operator.fused_activation)
        if value is None:
            return None
    taps = Taps(_pair(weights.sizes), _pair(operator.strides), _pair(operator.dilations))
    kept = bias if finishes else None
    step = DepthwiseStep(source, weights, kept, target, taps, _pair(operator.start_padding), value)
    return step if step.kernel().made.span <= MOST_ROWS else None
