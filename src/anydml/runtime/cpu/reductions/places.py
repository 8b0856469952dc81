"""Places of extremes as reductions: the extreme is folded first, then the lowest or highest place that has it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.enums import AxisDirection, ReduceFunction
from anydml.core.expression import Node, constant, operation
from anydml.core.steps import Program, Step
from anydml.core.tracing import Traced
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.reductions.operators import Builder, axes_of, expand_over

MOST_PLACES = 1 << 20
"""Elements that are folded into one: a table of so many numbers is read besides."""
_PLACE = DataType.INT32


def expand_place(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    is_last = getattr(operator, "axis_direction", AxisDirection.INCREASING) is AxisDirection.DECREASING
    is_largest = getattr(operator, "finds_largest", False) or (
        getattr(operator, "function", None) is ReduceFunction.ARGMAX
    )

    def make(_: Any, b: Builder, x: Traced) -> Traced:
        return _place(b, x, _places(b, workspace), is_largest, is_last)

    return _expand(program, workspace, operator.axes, make)


def expand_hardmax(program: Program, workspace: Workspace) -> list[Step] | None:
    def make(_: Any, b: Builder, x: Traced) -> Traced:
        places = _places(b, workspace)
        chosen = operation("equal", places.node, _place(b, x, places, True, False).node)
        one, zero = (constant(number, x.node.type) for number in (1, 0))
        return Traced(operation("where", chosen, one, zero))

    return _expand(program, workspace, axes_of(program.operator), make)


def _expand(program: Program, workspace: Workspace, axes: Any, make: Any) -> list[Step] | None:
    source = program.inputs[0]
    if source is None or prod(source.sizes[axis] for axis in axes) > MOST_PLACES:
        return None
    return expand_over(program, workspace, axes, make)


def _places(b: Builder, workspace: Workspace) -> Traced:
    """The number of an element among those that are folded into one."""
    slot = workspace.constant(np.arange(b.folded, dtype=_PLACE.numpy_dtype), "places")
    return b.table(slot, _PLACE)


def _place(b: Builder, x: Traced, places: Traced, is_largest: bool, is_last: bool) -> Traced:
    """The first or last place of the extreme; NaN is extreme."""
    extreme = b.fold("maximum" if is_largest else "minimum", x)
    is_extreme: Node = operation("equal", x.node, extreme.node)
    if x.node.type.kind == "f":
        is_extreme = operation("bitwise_or", is_extreme, operation("not_equal", x.node, x.node))
    limits = np.iinfo(np.int32)
    nowhere = constant(int(limits.min if is_last else limits.max), _PLACE.numpy_dtype)
    place = Traced(operation("where", is_extreme, places.node, nowhere))
    return b.fold("maximum" if is_last else "minimum", place)
