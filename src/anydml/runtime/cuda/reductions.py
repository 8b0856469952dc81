"""Reductions, softmax, normalization and pooling as steps over rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.enums import ReduceFunction
from anydml.core.expression import FLOAT32, FLOAT64, Node, cast, constant, leaves, load, operation, substitute
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cuda.products import activated
from anydml.runtime.cuda.text.rows import Phase, RowKernel, RowWork
from anydml.runtime.cuda.workspace import Workspace, packed_strides

FLOATS = (DataType.FLOAT16, DataType.FLOAT32)
FEW_ROWS, LONG_ROW, PARTS = 1 << 16, 1 << 12, (32, 64, 128, 256)
"""Where there are fewer rows than this and they are longer than that, each is cut into parts."""
MANY_THREADS = 1 << 19
"""So many threads keep a GPU busy."""


@dataclass(frozen=True)
class Rows:
    """Row work over slots."""

    work: RowWork

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        return ((access, (*self.work.outer, *self.work.inner)) for access in self.work.loads)

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        yield from ((store.access, (*self.work.outer, *self.work.inner)) for store in self.work.stores)
        yield from ((store.access, self.work.outer) for store in self.work.row_stores)

    def renamed(self, slot: Callable[[int], int]) -> Rows:
        def moved(stores: tuple[Store, ...]) -> tuple[Store, ...]:
            return tuple(replace(s, access=replace(s.access, slot=slot(s.access.slot))) for s in stores)

        loads = tuple(replace(access, slot=slot(access.slot)) for access in self.work.loads)
        return Rows(
            replace(self.work, loads=loads, stores=moved(self.work.stores), row_stores=moved(self.work.row_stores))
        )

    def describe(self, names: Callable[[int], str]) -> str:
        read = ", ".join(names(access.slot) for access in self.work.loads)
        written = ", ".join(names(store.access.slot) for store in (*self.work.stores, *self.work.row_stores))
        phases = ", ".join(phase.function for phase in self.work.phases)
        return f"rows {list(self.work.outer)} of {list(self.work.inner)} ({phases}) {read} -> {written}"

    def prepared(self, driver: Any, is_fast: bool) -> _Prepared:
        return _Prepared(driver, RowKernel(self.work))


@dataclass(frozen=True)
class _Prepared:
    driver: Any
    kernel: RowKernel
    is_replayable: ClassVar[bool] = True

    def bind(self, memory: Memory) -> Run:
        addresses = []
        for access in self.kernel.accesses:
            buffer = memory[access.slot]
            assert buffer is not None
            addresses.append(buffer.address)
        run: Run = self.driver.launcher(self.kernel.launch(addresses))
        return run


@dataclass
class _Builder:
    """Row work in the making: rows are what is left of the sizes without the axes."""

    sizes: tuple[int, ...]
    axes: tuple[int, ...]
    loads: list[Access]
    phases: list[Phase]

    @classmethod
    def of(cls, view: View, axes: Sequence[int]) -> _Builder:
        return cls(view.sizes, tuple(sorted(axes)), [_wide(view, view.sizes)], [])

    def _split(self, numbers: Sequence[int]) -> tuple[int, ...]:
        kept = [number for axis, number in enumerate(numbers) if axis not in self.axes]
        return (*kept, *(numbers[axis] for axis in self.axes))

    def element(self, number: int = 0) -> Node:
        """An element of a load, as it is computed with."""
        kind = self.loads[number].type
        return cast(load(number, kind.numpy_dtype), FLOAT32 if kind is DataType.FLOAT16 else kind.numpy_dtype)

    def add(self, access: Access) -> int:
        self.loads.append(access)
        return len(self.loads) - 1

    def reduce(self, function: str, value: Node) -> Node:
        """The result of one more phase. Results are numbered from `_FIRST` on until all loads are known."""
        self.phases.append(Phase(function, value))
        return load(_FIRST + len(self.phases) - 1, value.type)

    def step(self, nest: Nest, value: Node, kind: DataType) -> Rows:
        """The work that stores an output's nest: one element for each row where the axes have size 1 there."""
        first = len(self.loads)
        loads = [*self.loads, *nest.loads]
        rounded = cast(value, kind.numpy_dtype)

        def placed(node: Node) -> Node | None:
            if node.op == "result":
                return rounded
            return load(node.value + first, node.type) if node.op == "load" else None

        stores = [Store(s.access, _numbered(substitute(s.value, placed), len(loads))) for s in nest.stores]
        phases = tuple(Phase(p.function, _numbered(p.value, len(loads))) for p in self.phases)
        sizes = self._split(self.sizes)
        count = len(self.sizes) - len(self.axes)
        accesses = tuple(replace(a, strides=self._split(_still(a.strides, nest.sizes))) for a in loads[first:])
        own = tuple(replace(a, strides=self._split(a.strides)) for a in self.loads)
        work = RowWork(sizes[:count], sizes[count:], (*own, *accesses), phases)
        if nest.sizes == self.sizes:
            written = tuple(Store(replace(s.access, strides=self._split(s.access.strides)), s.value) for s in stores)
            return Rows(replace(work, stores=written))
        written = tuple(
            Store(replace(s.access, strides=self._split(s.access.strides)[:count]), s.value) for s in stores
        )
        return Rows(replace(work, row_stores=written))


_FIRST = 1 << 20


def _numbered(value: Node, first: int) -> Node:
    """The expression with results of phases numbered after the loads."""

    def placed(node: Node) -> Node | None:
        is_result = node.op == "load" and node.value >= _FIRST
        return load(node.value - _FIRST + first, node.type) if is_result else None

    return substitute(value, placed)


def _wide(view: View, sizes: Sequence[int]) -> Access:
    """A view as an access over larger sizes: dimensions of size 1 are repeated."""
    return replace(view.access, strides=_still(view.strides, view.sizes))


def _still(strides: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(0 if size == 1 else stride for stride, size in zip(strides, sizes, strict=True))


def expand_reduce(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    (view,), (nest,) = program.inputs, program.outputs
    assert view is not None and nest is not None
    if view.type not in FLOATS or len(nest.stores) != 1:
        return None
    make = _Builder.of(view, operator.axes)
    x = make.element()
    count = prod(view.sizes[axis] for axis in operator.axes)
    value = _reduced(make, operator.function, x, count)
    if value is None:
        return None
    if nest.sizes == view.sizes:  # rows of one element are as long as their results
        return None
    return cut(make.step(nest, value, view.type), workspace)


def _reduced(make: _Builder, function: ReduceFunction, x: Node, count: int) -> Node | None:
    square = operation("multiply", x, x)
    match function.name:
        case "SUM":
            return make.reduce("sum", x)
        case "AVERAGE":
            return operation("divide", make.reduce("sum", x), constant(float(count), FLOAT32))
        case "MAX":
            return make.reduce("maximum", x)
        case "MIN":
            return make.reduce("minimum", x)
        case "MULTIPLY":
            return make.reduce("product", x)
        case "L1":
            return make.reduce("sum", operation("absolute", x))
        case "L2":
            return operation("sqrt", make.reduce("sum", square))
        case "SUM_SQUARE":
            return make.reduce("sum", square)
        case "LOG_SUM":
            return operation("log", make.reduce("sum", x))
        case "LOG_SUM_EXP":
            top = _finite(make.reduce("maximum", x))
            total = make.reduce("sum", operation("exp", operation("subtract", x, top)))
            return operation("add", operation("log", total), top)
    return None


def _finite(value: Node) -> Node:
    """0 in place of what is not finite."""
    inside = operation("less", operation("absolute", value), constant(np.inf, FLOAT32))
    return operation("where", inside, value, constant(0.0, FLOAT32))


def cut(step: Rows, workspace: Workspace) -> list[Step]:
    """A few long rows become many shorter ones, whose results are reduced in turn."""
    work, rows, length = step.work, prod(step.work.outer), prod(step.work.inner)
    possible = [parts for parts in PARTS if work.inner and work.inner[0] % parts == 0]
    parts = next((parts for parts in possible if rows * parts >= MANY_THREADS), possible[-1] if possible else 0)
    few = rows * 32 < FEW_ROWS or (rows < FEW_ROWS and _lies_across(work))
    if not few or length < LONG_ROW or not parts or len(work.phases) != 1 or work.stores:
        return [step]
    (phase,) = work.phases
    kind = DataType.parse(phase.value.type)
    slot = workspace.temporary(parts * rows * kind.element_bytes, "parts of rows")
    # The part is the outermost loop, so that neighbouring rows stay neighbours.
    count = len(work.outer)
    used = sorted({n.value for n in leaves(phase.value) if n.op == "load"})
    loads = tuple(
        replace(work.loads[n], strides=_cut(work.loads[n].strides, count, work.inner[0] // parts)) for n in used
    )
    value = substitute(phase.value, lambda n: load(used.index(n.value), n.type) if n.op == "load" else None)
    shorter = (work.inner[0] // parts, *work.inner[1:])
    strides = packed_strides((parts, *work.outer))
    partial = Store(Access(slot, kind, strides), load(len(loads), phase.value.type))
    first = RowWork((parts, *work.outer), shorter, loads, (Phase(phase.function, value),), row_stores=(partial,))
    whole = replace(work.loads[0], slot=slot, type=kind, strides=(*strides[1:], strides[0]), offset=0)
    others = [replace(a, strides=(*a.strides[:count], 0)) for a in work.loads]
    last = RowWork(
        work.outer,
        (parts,),
        (*others[:0], *others, whole)[-len(others) - 1 :],
        (Phase(phase.function, load(len(others), phase.value.type)),),
        row_stores=tuple(Store(s.access, _shifted(s.value, len(work.loads))) for s in work.row_stores),
    )
    return [Rows(first), Rows(last)]


def _shifted(value: Node, first: int) -> Node:
    """Results of phases one number later: one more load comes before them."""

    def placed(node: Node) -> Node | None:
        return load(node.value + 1, node.type) if node.op == "load" and node.value >= first else None

    return substitute(value, placed)


def _lies_across(work: RowWork) -> bool:
    """Whether the elements of a row are far apart while rows are neighbours."""
    strides, count = work.loads[0].strides, len(work.outer)
    return 1 in [abs(s) for s in strides[:count]] and 1 not in [abs(s) for s in strides[count:]]


def _cut(strides: tuple[int, ...], count: int, length: int) -> tuple[int, ...]:
    return (strides[count] * length, *strides)


def _inverse(value: Node) -> Node:
    return operation("divide", constant(1.0, FLOAT32), value)


def expand_softmax(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    (view,), (nest,) = program.inputs, program.outputs
    assert view is not None and nest is not None
    if view.type not in FLOATS:
        return None
    axes = operator.axes if hasattr(operator, "axes") else (len(view.sizes) - 1,)
    make = _Builder.of(view, axes)
    x = make.element()
    top = make.reduce("maximum", x)
    shifted = operation("subtract", x, top)
    total = make.reduce("sum", operation("exp", shifted))
    if "LOG" in operator.dml_type:
        value = operation("subtract", shifted, operation("log", total))
    else:
        # One division for the row: the products are as exact as quotients but for one rounding.
        value = operation("multiply", operation("exp", shifted), _inverse(total))
    return [make.step(nest, value, view.type)]


def expand_normalization(program: Program, workspace: Workspace) -> list[Step] | None:
    """Means are taken in float64, as the definition does."""
    operator: Any = program.operator
    view, scale, bias = program.inputs
    (nest,) = program.outputs
    assert view is not None and nest is not None
    if view.type not in FLOATS or nest.sizes != view.sizes:
        return None
    make = _Builder.of(view, operator.axes)
    count = constant(float(prod(view.sizes[axis] for axis in make.axes)), FLOAT64)

    def average(value: Node) -> Node:
        return cast(operation("divide", make.reduce("sum", cast(value, FLOAT64)), count), FLOAT32)

    value = make.element()
    if operator.use_mean:
        value = operation("subtract", value, average(value))
    if operator.use_variance:
        variance = average(operation("multiply", value, value))
        deviation = operation("sqrt", operation("add", variance, constant(operator.epsilon, FLOAT32)))
        value = operation("multiply", value, _inverse(deviation))
    for operand, op in ((scale, "multiply"), (bias, "add")):
        if operand is not None:
            value = operation(op, value, make.element(make.add(_wide(operand, view.sizes))))
    last = activated(value, operator.fused_activation)
    return None if last is None or not make.phases else [make.step(nest, last, view.type)]


def expand_pooling(program: Program, workspace: Workspace) -> list[Step] | None:
    """Windows as rows, over a padded copy where there is padding."""
    operator: Any = program.operator
    (view,) = program.inputs
    nest = program.outputs[0]
    assert view is not None
    is_maximum = operator.dml_type == "MAX_POOLING2"
    padding = [*operator.start_padding, *operator.end_padding]
    counts_all = is_maximum or operator.include_padding or not any(padding)
    if nest is None or len(nest.stores) != 1 or view.type not in FLOATS or not counts_all or any(program.outputs[1:]):
        return None
    steps: list[Step] = []
    filling = -np.inf if is_maximum else 0.0
    source = padded(view, operator.start_padding, operator.end_padding, filling, workspace, steps)
    count = len(nest.sizes)
    inner = [d * s for d, s in zip(operator.dilations, source.strides[2:], strict=True)]
    outer = [d * s for d, s in zip(operator.strides, source.strides[2:], strict=True)]
    strides = (*source.strides[:2], *outer, *inner)
    sizes = (*nest.sizes, *operator.window_size)
    make = _Builder(
        sizes, tuple(range(count, len(sizes))), [Access(source.slot, source.type, strides, source.offset)], []
    )
    x = make.element()
    value = make.reduce("maximum" if is_maximum else "sum", x)
    if not is_maximum:
        value = operation("divide", value, constant(float(prod(operator.window_size)), FLOAT32))
    ones = (0,) * len(operator.window_size)
    loads = tuple(replace(a, strides=(*a.strides, *ones)) for a in nest.loads)
    stores = tuple(Store(replace(s.access, strides=(*s.access.strides, *ones)), s.value) for s in nest.stores)
    wide = Nest((*nest.sizes, *(1 for _ in ones)), loads, stores)
    if wide.sizes == sizes:
        return None
    return [*steps, make.step(wide, value, view.type)]


def padded(
    view: View, before: Sequence[int], after: Sequence[int], value: float, workspace: Workspace, steps: list[Step]
) -> View:
    """The view with a border of one value around its spatial dimensions: a copy, which two more steps make."""
    if not any(before) and not any(after):
        return view
    spatial = [n + a + b for n, a, b in zip(view.sizes[2:], before, after, strict=True)]
    sizes = (*view.sizes[:2], *spatial)
    slot = workspace.temporary(prod(sizes) * view.type.element_bytes, "padded")
    made = Access(slot, view.type, packed_strides(sizes))
    inside = sum(a * s for a, s in zip(before, made.strides[2:], strict=True))
    steps.append(Nest(sizes, (), (Store(made, constant(value, FLOAT32)),)))
    store = Store(replace(made, offset=inside), load(0, view.type.numpy_dtype))
    steps.append(Nest(view.sizes, (view.access,), (store,)))
    return View(slot, view.type, sizes, made.strides)
