"""Pooling as nests: each output is the fold of a few elements; large windows go one dimension after the other.

Outputs whose windows reach into the padding fold fewer elements, in nests of their own: nothing is padded or copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby, product
from math import prod
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import Node, cast, constant, load, operation, result
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.core.tracing import Traced
from anydml.graph.lower import computed_type
from anydml.operators.sliding import Slide
from anydml.process.loading import load_module
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.formulas import with_result
from anydml.runtime.cpu.pointwise import Together, can_run

FIRST_SPATIAL = 2
_PLACE = np.dtype(np.int32)
MOST_TAPS = 16
"""Elements that are folded at once. Larger windows are folded along each dimension; those that are longer than this
along one are left to the definition."""


@dataclass(frozen=True)
class Run:
    """Windows that follow one another and have the same elements."""

    first: int
    count: int
    taps: list[int]
    """Those elements of a window that are no padding."""


Part = dict[int, Run]
"""Some windows along each of some dimensions."""


@dataclass(frozen=True)
class _Pool:
    """What is folded, and what is done to elements before and to the fold after."""

    fold: str
    before: Callable[[Node], Node] = lambda node: node
    each: Callable[[Node, int, int], Node] = lambda node, taps, window: node
    """After each dimension: the fold, how many elements it has, and how many the window has."""
    after: Callable[[Node], Node] = lambda node: node


def expand_max_pooling(program: Program, workspace: Workspace) -> list[Step] | None:
    values, places = (*program.outputs, None)[:2]
    if places is None:
        return _expand(program, workspace, _Pool("maximum"))
    passes = _passes(program, workspace, _Pool("maximum"))
    if values is None or passes is None or len(passes.groups) > 1:
        return None
    return passes.with_places(values, places)


def expand_average_pooling(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator

    def mean(node: Node, taps: int, window: int) -> Node:
        count = window if operator.include_padding else taps
        return operation("divide", node, constant(count, node.type))

    return _expand(program, workspace, _Pool("add", each=mean))


def expand_lp_pooling(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    if operator.p == 1:
        return _expand(program, workspace, _Pool("add", before=lambda node: operation("absolute", node)))
    if operator.p == 2:
        squares = _Pool(
            "add", lambda node: operation("multiply", node, node), after=lambda node: operation("sqrt", node)
        )
        return _expand(program, workspace, squares)
    return None


def is_whole(operator: Any) -> bool:
    """Whether every window is a whole image: then pooling is a reduction."""
    return all(slide.is_whole for slide in operator.slides)


def _expand_whole(program: Program, workspace: Workspace, pool: _Pool) -> list[Step] | None:
    reductions = load_module("anydml.runtime.cpu.reductions.operators")

    def pooled(operator: Any, b: Any, x: Traced) -> Traced:
        folded = b.fold(pool.fold, Traced(pool.before(x.node)))
        return Traced(pool.after(pool.each(folded.node, b.folded, b.folded)))

    axes = range(FIRST_SPATIAL, program.operator.input_tensor.rank)  # type: ignore[attr-defined]
    found: list[Step] | None = reductions.expand_over(program, workspace, axes, pooled)
    return found


def _expand(program: Program, workspace: Workspace, pool: _Pool) -> list[Step] | None:
    if is_whole(program.operator):
        return _expand_whole(program, workspace, pool)
    nests = [nest for nest in program.outputs if nest is not None]
    passes = _passes(program, workspace, pool)
    return passes.steps(nests[0]) if len(nests) == 1 and passes is not None else None


def _passes(program: Program, workspace: Workspace, pool: _Pool) -> _Passes | None:
    """How to pool, or None where windows are too large."""
    operator: Any = program.operator
    source = program.inputs[0]
    slides = {FIRST_SPATIAL + n: slide for n, slide in enumerate(operator.slides) if not slide.is_identity}
    if source is None or source.type.is_packed_pair or not slides:
        return None
    if not all(_is_short(slide) for slide in slides.values()):
        return None
    return _Passes(program, workspace, pool, source, slides)


class _Passes:
    """The passes over some dimensions after others, the last into the program's own nest."""

    def __init__(
        self, program: Program, workspace: Workspace, pool: _Pool, source: View, slides: dict[int, Slide]
    ) -> None:
        self.program, self.workspace, self.pool = program, workspace, pool
        self.source, self.slides = source, slides
        is_small = prod(slide.window for slide in slides.values()) <= MOST_TAPS
        self.groups = [tuple(slides)] if is_small else [(axis,) for axis in slides]
        """Dimensions that are folded at once."""

    def steps(self, nest: Nest) -> list[Step] | None:
        found: list[Step] = []
        view = self.source
        kind = DataType.parse(computed_type(view.type))
        for axes in self.groups:
            is_last = axes == self.groups[-1]
            sizes = tuple(self.slides[n].count if n in axes else size for n, size in enumerate(view.sizes))
            between = None if is_last else self._between(sizes, kind)
            target = nest if is_last else _plain(sizes, between)
            parts = self._parts(axes)
            nests = [_joined(target, part, self._loads(view, part), self._folded(view, part)) for part in parts]
            if not all(can_run(each) for each in nests):
                return None
            found.append(Together(tuple(nests)))
            view = between or view
        return found

    def with_places(self, values: Nest, places: Nest) -> list[Step] | None:
        """The largest elements and their places in the flattened input."""
        if prod(self.source.sizes) > np.iinfo(np.int32).max:
            return None
        tables = self._tables()
        nests: list[Nest] = []
        for part in self._parts(self.groups[0]):
            loads = self._loads(self.source, part)
            nests.append(_joined(values, part, loads, self._folded(self.source, part)))
            moved = tuple(_moved(table, part) for table in tables)
            nests.append(_joined(places, part, (*loads, *moved), self._place(part, len(loads))))
        return [Together(tuple(nests))] if all(can_run(each) for each in nests) else None

    def _parts(self, axes: tuple[int, ...]) -> list[Part]:
        return [dict(zip(axes, runs, strict=True)) for runs in product(*(_runs(self.slides[a]) for a in axes))]

    def _tables(self) -> tuple[Access, Access]:
        """The place of each channel's first element, and of each window's first element within a channel."""
        operator: Any = self.program.operator
        batch, channels, *spatial = self.source.sizes
        plane = prod(spatial)
        first = np.zeros((1,) * len(spatial), np.int32)
        for axis, slide in enumerate(operator.slides):
            starts = (np.arange(slide.count) * slide.stride - slide.before) * prod(spatial[axis + 1 :])
            first = first + starts.astype(np.int32).reshape([-1 if n == axis else 1 for n in range(len(spatial))])
        of_channels = self.workspace.constant(np.arange(batch * channels, dtype=np.int32) * np.int32(plane), "channels")
        of_windows = self.workspace.constant(first.astype(np.int32), "windows")
        strides = tuple(prod(first.shape[n + 1 :]) for n in range(first.ndim))
        return (
            Access(of_channels, DataType.INT32, (channels, 1, *(0 for _ in spatial))),
            Access(of_windows, DataType.INT32, (0, 0, *strides)),
        )

    def _place(self, part: Part, count: int) -> Node:
        """The place of the first largest element of a window, the first NaN if there is one."""
        kind, spatial = computed_type(self.source.type), self.source.sizes[FIRST_SPATIAL:]
        steps = [
            [tap * self.slides[axis].dilation * prod(spatial[axis - FIRST_SPATIAL + 1 :]) for tap in run.taps]
            for axis, run in part.items()
        ]
        offsets = [constant(sum(each), _PLACE) for each in product(*steps)]
        elements = [cast(load(n, self.source.type.numpy_dtype), kind) for n in range(count)]
        best, place = elements[0], offsets[0]
        for element, offset in zip(elements[1:], offsets[1:], strict=True):
            is_better = _is_larger(element, best)
            best, place = operation("where", is_better, element, best), operation("where", is_better, offset, place)
        return operation("add", operation("add", load(count, _PLACE), load(count + 1, _PLACE)), place)

    def _between(self, sizes: tuple[int, ...], kind: DataType) -> View:
        slot = self.workspace.temporary(
            prod(sizes) * kind.element_bytes, f"windows of {self.program.operator.dml_type}"
        )
        strides = tuple(prod(sizes[n + 1 :]) for n in range(len(sizes)))
        return View(slot, kind, sizes, strides)

    def _loads(self, view: View, part: Part) -> tuple[Access, ...]:
        """The elements of a window, one access for each."""
        strides = tuple(
            stride * self.slides[axis].stride if axis in part else stride for axis, stride in enumerate(view.strides)
        )
        offsets = [[self._start(axis, run, tap) * view.strides[axis] for tap in run.taps] for axis, run in part.items()]
        return tuple(Access(view.slot, view.type, strides, view.offset + sum(each)) for each in product(*offsets))

    def _start(self, axis: int, run: Run, tap: int) -> int:
        slide = self.slides[axis]
        return run.first * slide.stride - slide.before + tap * slide.dilation

    def _folded(self, view: View, part: Part) -> Node:
        axes = tuple(part)
        count, window = prod(len(run.taps) for run in part.values()), prod(self.slides[axis].window for axis in axes)
        kind = computed_type(view.type)
        elements = [cast(load(n, view.type.numpy_dtype), kind) for n in range(count)]
        if axes == self.groups[0]:
            elements = [self.pool.before(element) for element in elements]
        folded = self.pool.each(reduce(lambda a, b: operation(self.pool.fold, a, b), elements), count, window)
        return self.pool.after(folded) if axes == self.groups[-1] else folded


def _is_short(slide: Slide) -> bool:
    """Whether windows have few elements, and none is padding alone."""
    return slide.window <= MOST_TAPS and all(_taps(slide, number) for number in range(slide.count))


def _taps(slide: Slide, number: int) -> list[int]:
    """The elements of a window that are no padding."""
    start = number * slide.stride - slide.before
    return [tap for tap in range(slide.window) if 0 <= start + tap * slide.dilation < slide.size]


def _runs(slide: Slide) -> Iterator[Run]:
    for taps, numbers in groupby(range(slide.count), key=lambda number: _taps(slide, number)):
        run = list(numbers)
        yield Run(run[0], len(run), taps)


def _plain(sizes: tuple[int, ...], view: View | None) -> Nest:
    assert view is not None
    return Nest(sizes, (), (Store(view.access, result(view.type.numpy_dtype)),))


def _is_larger(x: Node, best: Node) -> Node:
    """NaN is larger than every number, and not than another NaN."""
    is_larger = operation("greater", x, best)
    if x.type.kind != "f":
        return is_larger
    is_first_nan = operation("bitwise_and", operation("not_equal", x, x), operation("equal", best, best))
    return operation("bitwise_or", is_larger, is_first_nan)


def _moved(access: Access, part: Part) -> Access:
    """The access of a part's first windows."""
    return replace(access, offset=access.offset + sum(run.first * access.strides[axis] for axis, run in part.items()))


def _joined(nest: Nest, part: Part, loads: tuple[Access, ...], value: Node) -> Nest:
    """Some iterations of a nest, whose result is this value of these loads."""
    sizes = tuple(part[axis].count if axis in part else size for axis, size in enumerate(nest.sizes))
    stores = tuple(Store(_moved(store.access, part), store.value) for store in nest.stores)
    return with_result(Nest(sizes, tuple(_moved(access, part) for access in nest.loads), stores), loads, value)
