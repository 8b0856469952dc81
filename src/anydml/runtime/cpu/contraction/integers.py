"""Products of small integers with zero points: exact sums of 32 bits, as they are, as floats or quantized again.

Zero points are taken off first, which leaves integers of 16 bits; of constants that is done once. What is done to the
sums afterwards is computed in double precision, as the definitions say.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import Node, cast, constant, load, operation, result
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.runtime.cpu.contraction.cells import WORDS
from anydml.runtime.cpu.contraction.convolution import convolve
from anydml.runtime.cpu.contraction.filtered import Filtered
from anydml.runtime.cpu.contraction.gemm import Problem, batch_of, matrix_of, multiply, place
from anydml.runtime.cpu.contraction.machine import host_machine
from anydml.runtime.cpu.contraction.results import Finish, Finished, finish
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.programs import named_inputs

_BYTES = (DataType.INT8, DataType.UINT8)
_INT16, _INT32, _DOUBLE = np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.float64)
_MOST_TERMS = (2**31 - 1) // 255**2
"""Sums of so many products have room in 32 bits."""
_PER_ROW, _PER_COLUMN, _PER_CHANNEL, _PER_FILTER = -2, -1, 1, 0
Views = dict[str, Any]


def expand_matrix_product(program: Program, workspace: Workspace) -> list[Step] | None:
    """MATRIX_MULTIPLY_INTEGER, its variant that returns floats, and the quantized one."""
    views, nest = _views(program)
    a, b = views["a_tensor"], views["b_tensor"]
    if a.type not in _BYTES or b.type not in _BYTES:
        return None
    scales = [("a_scale_tensor", _PER_ROW), ("b_scale_tensor", _PER_COLUMN)]
    results = [("output_scale_tensor", _PER_ROW), ("output_zero_point_tensor", _PER_ROW)]
    done = _finished(program, views, nest, (scales, results), a.sizes[-1], workspace)
    if done is None:
        return None
    steps: list[Step] = []
    a = _centered(a, views.get("a_zero_point_tensor"), _PER_ROW, steps, workspace)
    b = _centered(b, views.get("b_zero_point_tensor"), _PER_COLUMN, steps, workspace)
    left, right = matrix_of(a, rows_first=True), matrix_of(b, rows_first=False)
    problem = Problem(left, right, batch_of(nest), WORDS)
    return [*steps, *multiply(problem, done, host_machine(), workspace, place), *done.after]


def expand_convolution(program: Program, workspace: Workspace) -> list[Step] | None:
    """CONVOLUTION_INTEGER and the quantized one."""
    views, nest = _views(program)
    x, weights = views["input_tensor"], views["filter_tensor"]
    scales = [("input_scale_tensor", _PER_CHANNEL), ("filter_scale_tensor", _PER_CHANNEL)]
    results = [("output_scale_tensor", _PER_CHANNEL), ("output_zero_point_tensor", _PER_CHANNEL)]
    done = _finished(program, views, nest, (scales, results), prod(weights.sizes[1:]), workspace)
    if done is None:
        return None
    steps: list[Step] = []
    x = _centered(x, views.get("input_zero_point_tensor"), _PER_CHANNEL, steps, workspace)
    weights = _centered(weights, views.get("filter_zero_point_tensor"), _PER_FILTER, steps, workspace)
    filtered = Filtered.of(program.operator, x, weights, nest, WORDS)
    made = convolve(filtered, done, host_machine(), workspace)
    return None if made is None else [*steps, *made, *done.after]


def _views(program: Program) -> tuple[Views, Nest]:
    """The inputs by the names of their fields, and the output's nest."""
    (nest,) = program.outputs
    assert nest is not None
    return named_inputs(program.operator, program.inputs), nest


def _spread(parameter: View, axis: int, sizes: Sequence[int]) -> Access:
    """A parameter, one number or several along an axis, seen from the elements of a tensor."""
    lengths = [(size, stride) for size, stride in zip(parameter.sizes, parameter.strides, strict=True) if size > 1]
    strides = [0] * len(sizes)
    strides[axis] = lengths[0][1] if lengths else 0
    return Access(parameter.slot, parameter.type, tuple(strides), parameter.offset)


def _centered(view: View, zero: View | None, axis: int, steps: list[Step], workspace: Workspace) -> View:
    """Elements less their zero points, in memory of their own; the view itself where there are none."""
    if zero is None:
        return view
    strides, count = _dense(view)
    slot = workspace.temporary(count * 2, "centered")
    target = Access(slot, DataType.INT16, strides)
    numbers = [cast(load(n, each.type.numpy_dtype), _INT16) for n, each in enumerate((view, zero))]
    store = Store(target, operation("subtract", *numbers))
    steps.append(Nest(view.sizes, (view.access, _spread(zero, axis, view.sizes)), (store,)))
    return View(slot, DataType.INT16, view.sizes, strides)


def _dense(view: View) -> tuple[tuple[int, ...], int]:
    """Strides without gaps in the order of the view's own, and the number of elements."""
    strides, count = [0] * len(view.sizes), 1
    for axis in sorted(range(len(view.sizes)), key=lambda axis: (abs(view.strides[axis]), -axis)):
        strides[axis] = count
        count *= view.sizes[axis]
    return tuple(strides), count


Names = Sequence[tuple[str, int]]


def _finished(
    program: Program, views: Views, nest: Nest, names: tuple[Names, Names], terms: int, workspace: Workspace
) -> Finished | None:
    """What becomes of the sums; None where no kernel can do it."""
    output = _output_type(program)
    total = result(_INT32)
    if views.get(names[0][0][0]) is None:
        how = Finish(total)
    elif terms > _MOST_TERMS:
        return None
    else:
        how = _scaled(views, nest, names, output, cast(total, _DOUBLE))
    return finish(nest, how, output, host_machine(), workspace)


def _output_type(program: Program) -> DataType:
    operator: Any = program.operator
    found: DataType = operator.output_tensor.data_type
    return found


def _scaled(views: Views, nest: Nest, names: tuple[Names, Names], output: DataType, total: Node) -> Finish:
    loads: list[Access] = []

    def number(view: View, axis: int | None) -> Node:
        loads.append(view.access if axis is None else _spread(view, axis, nest.sizes))
        found = load(len(loads) - 1, view.type.numpy_dtype)
        return cast(cast(found, _INT32) if view.type in _BYTES else found, _DOUBLE)

    is_quantized = output in _BYTES
    bias = views.get("bias_tensor")
    if bias is not None and is_quantized:  # it counts in steps of the scales
        total = operation("add", total, number(bias, _PER_CHANNEL))
    for name, axis in names[0]:
        total = operation("multiply", total, number(views[name], axis))
    if not is_quantized:
        return Finish(total if bias is None else operation("add", total, number(bias, None)), tuple(loads))
    (scale, axis), (zero, zero_axis) = names[1]
    total = operation("rint", operation("divide", total, number(views[scale], axis)))
    if views.get(zero) is not None:
        total = operation("add", total, number(views[zero], zero_axis))
    low, high = (constant(float(end), _DOUBLE) for end in output.range)
    held = operation("minimum", operation("maximum", total, low), high)
    return Finish(cast(held, _INT32), tuple(loads))
