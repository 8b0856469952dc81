"""Operators as reductions: REDUCE, the softmax family and normalization by mean and variance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import ReduceFunction
from anydml.core.expression import Node, cast, load, substitute
from anydml.core.steps import Access, Nest, Program, Step, Store, View, shifted_loads
from anydml.core.tracing import TRACED, Traced
from anydml.graph.lower import computed_type
from anydml.process.loading import load_module
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.formulas import activated, has_formula
from anydml.runtime.cpu.reductions.lowering import is_supported
from anydml.runtime.cpu.reductions.splitting import split
from anydml.runtime.cpu.reductions.step import Reduction, Stage

m: Any = TRACED
"""What formulas compute with."""


class Builder:
    """Collects the operands and stages of a program's reduction over some axes."""

    def __init__(self, program: Program, axes: Sequence[int]) -> None:
        self.program = program
        (self.nest,) = (nest for nest in program.outputs if nest is not None)
        source = program.inputs[0]
        assert source is not None
        self.sizes = source.sizes
        self.reduced = [axis for axis in range(len(self.sizes)) if axis in axes]
        self.kept = [axis for axis in range(len(self.sizes)) if axis not in axes]
        self.loads: list[Access] = []
        self.stages: list[Stage] = []
        views = [view for view in program.inputs if view is not None]
        self.count = len(views)
        self.elements = {view.slot: element for view, element in ((v, self._operand(v)) for v in views)}

    @property
    def folded(self) -> int:
        """How many elements are folded into one."""
        return prod(self.sizes[axis] for axis in self.reduced)

    def _ordered(self, strides: Sequence[int]) -> tuple[int, ...]:
        return tuple(strides[axis] for axis in (*self.kept, *self.reduced))

    def _operand(self, view: View) -> Traced:
        """An element of an operand; sizes of 1 are repeated."""
        strides = [0 if size == 1 else stride for size, stride in zip(view.sizes, view.strides, strict=True)]
        self.loads.append(Access(view.slot, view.type, self._ordered(strides), view.offset))
        return Traced(cast(load(len(self.loads) - 1, view.type.numpy_dtype), computed_type(view.type)))

    def input(self, number: int) -> Traced | None:
        view = self.program.inputs[number]
        return None if view is None else self.elements[view.slot]

    def table(self, slot: int, data_type: DataType) -> Traced:
        """An element of a packed table with an entry for each element that is folded, in row-major order."""
        sizes = [self.sizes[axis] for axis in self.reduced]
        strides = [prod(sizes[n + 1 :]) for n in range(len(sizes))]
        self.loads.append(Access(slot, data_type, (*(0 for _ in self.kept), *strides)))
        return Traced(load(len(self.loads) - 1, data_type.numpy_dtype))

    def fold(self, how: str, value: Traced) -> Traced:
        """A stage; its value may be used in what follows."""
        self.stages.append(Stage(how, value.node))
        return Traced(load(-len(self.stages), value.node.type))

    def build(self, result: Traced, workspace: Workspace) -> list[Step] | None:
        """The reduction whose result goes through the program's own nest, or None without a kernel for it."""
        nest, operator = self.nest, self.program.operator
        first = len(self.loads)
        total = first + len(nest.loads)
        stored = next(point.tensor for point in operator.points("output") if point.tensor is not None)
        whole = cast(result.node, stored.data_type.numpy_dtype)

        def place(node: Node) -> Node | None:
            if node.op == "load" and node.value < 0:
                return load(total - node.value - 1, node.type)
            return None

        stages = tuple(Stage(stage.fold, substitute(stage.value, place)) for stage in self.stages)
        final = substitute(whole, place)
        stores = []
        for store in nest.stores:
            shifted = shifted_loads(store.value, first)
            value = substitute(shifted, lambda node: final if node.op == "result" else None)
            stores.append(Store(self._access(store.access, nest), value))
        loads = (*self.loads, *(self._access(access, nest) for access in nest.loads))
        outer, reduced = (tuple(self.sizes[axis] for axis in axes) for axes in (self.kept, self.reduced))
        made = Reduction(outer, reduced, loads, stages, tuple(stores), operator.dml_type)
        if not is_supported(made):
            return None
        return split(made, workspace) or [made]

    def _access(self, access: Access, nest: Nest) -> Access:
        """An access of the program's nest, whose loops are the output's dimensions, over the reduction's loops."""
        strides = [0 if size == 1 else stride for size, stride in zip(nest.sizes, access.strides, strict=True)]
        return Access(access.slot, access.type, self._ordered(strides), access.offset)


def is_simple(program: Program) -> bool:
    """One output, of as many dimensions as the first input, and no input in the memory of another."""
    nests = [nest for nest in program.outputs if nest is not None]
    source = program.inputs[0]
    views = [view for view in program.inputs if view is not None]
    fits = len(nests) == 1 and source is not None and len(nests[0].sizes) == len(source.sizes)
    return fits and len({view.slot for view in views}) == len(views)


Make = Callable[[Any, Builder, Traced], Any]


def expand_over(program: Program, workspace: Workspace, axes: Sequence[int], make: Make) -> list[Step] | None:
    if not is_simple(program):
        return None
    builder = Builder(program, axes)
    x = builder.input(0)
    assert x is not None
    return builder.build(make(program.operator, builder, x), workspace)


# REDUCE


def expand_reduce(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    if operator.function in (ReduceFunction.ARGMIN, ReduceFunction.ARGMAX):
        found: list[Step] | None = load_module("anydml.runtime.cpu.reductions.places").expand_place(program, workspace)
        return found
    return expand_over(program, workspace, operator.axes, _reduce)


def _reduce(operator: Any, b: Builder, x: Traced) -> Any:
    match operator.function:
        case ReduceFunction.AVERAGE:
            return b.fold("add", x) / b.folded
        case ReduceFunction.L1:
            return b.fold("add", abs(x))
        case ReduceFunction.L2:
            return m.sqrt(b.fold("add", x * x))
        case ReduceFunction.LOG_SUM:
            return m.log(b.fold("add", x))
        case ReduceFunction.LOG_SUM_EXP:
            largest = b.fold("greatest", x)
            top = m.where(m.isfinite(largest), largest, 0)
            return m.log(b.fold("add", m.exp(x - top))) + top
        case ReduceFunction.MAX:
            return b.fold("maximum", x)
        case ReduceFunction.MIN:
            return b.fold("minimum", x)
        case ReduceFunction.MULTIPLY:
            return b.fold("multiply", x)
        case ReduceFunction.SUM_SQUARE:
            return b.fold("add", x * x)
        case _:
            return b.fold("add", x)


# The softmax family


def axes_of(operator: Any) -> tuple[int, ...]:
    """The older operators work along the last dimension."""
    return operator.axes if hasattr(operator, "axes") else (operator.input_tensor.rank - 1,)


def expand_softmax(program: Program, workspace: Workspace) -> list[Step] | None:
    return expand_over(program, workspace, axes_of(program.operator), _softmax)


def _softmax(operator: Any, b: Builder, x: Traced) -> Any:
    # With NaN in a row the sum is NaN, whatever is subtracted.
    power = m.exp(x - b.fold("greatest", x))
    return power * (1 / b.fold("add", power))


def expand_log_softmax(program: Program, workspace: Workspace) -> list[Step] | None:
    return expand_over(program, workspace, axes_of(program.operator), _log_softmax)


def _log_softmax(operator: Any, b: Builder, x: Traced) -> Any:
    shifted = x - b.fold("greatest", x)
    return shifted - m.log(b.fold("add", m.exp(shifted)))


# Normalization


def expand_mean_variance(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    if not has_formula(operator.fused_activation):
        return None
    return expand_over(program, workspace, operator.axes, _mean_variance)


def _mean_variance(operator: Any, b: Builder, x: Traced) -> Any:
    if operator.use_mean:
        x = x - b.fold("add", x) / b.folded
    if operator.use_variance:
        variance = b.fold("add", x * x) / b.folded
        x = x * (1 / m.sqrt(variance + operator.epsilon))
    scale, bias = b.input(1), b.input(2)
    x = x if scale is None else x * scale
    x = x if bias is None else x + bias
    return activated(operator.fused_activation, x)


def expand_lp(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    return expand_over(program, workspace, (operator.axis,), _lp)


def _lp(operator: Any, b: Builder, x: Traced) -> Any:
    norm = b.fold("add", abs(x)) if operator.p == 1 else m.sqrt(b.fold("add", x * x))
    return x / m.maximum(norm, operator.epsilon)
