"""Pooling over images by the kernel of depthwise convolutions: windows are folded where there is no filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, constant, load, operation, result
from anydml.core.steps import Access, Nest, Program, Step, View
from anydml.operators.sliding import Slide as Windows
from anydml.operators.sliding import window_sizes
from anydml.runtime.cpu import pooling
from anydml.runtime.cpu.contraction.channelwise import narrowed
from anydml.runtime.cpu.contraction.depthwise import CHANNELS, PIXELS, Depthwise, Fold, Slide
from anydml.runtime.cpu.contraction.epilogue import COLUMNS, Epilogue, Place
from anydml.runtime.cpu.contraction.machine import host_machine
from anydml.runtime.cpu.contraction.results import Finish, finish, sums_of_floats
from anydml.runtime.cpu.expand import Workspace

_TYPES = (DataType.FLOAT32, DataType.FLOAT16)
_PLANE = 4
"""Dimensions of a batch of images."""
_MOST_TAPS = 25
"""Larger windows are folded along one dimension after the other."""


def expand_max_pooling(program: Program, workspace: Workspace) -> list[Step] | None:
    """By a kernel of its own where lines or channels lie side by side; else as nests."""
    fold = Fold("maximum", result(FLOAT32))
    found = _pooled(program, workspace, fold, lambda: Finish(sums_of_floats()))
    return found or pooling.expand_max_pooling(program, workspace)


def expand_average_pooling(program: Program, workspace: Workspace) -> list[Step] | None:
    fold = Fold("add", result(FLOAT32))
    found = _pooled(program, workspace, fold, lambda: _mean(program.operator, workspace))
    return found or pooling.expand_average_pooling(program, workspace)


def expand_lp_pooling(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    x, total = result(FLOAT32), sums_of_floats()
    if operator.p == 1:
        element, value = operation("absolute", x), total
    elif operator.p == 2:
        element, value = operation("multiply", x, x), operation("sqrt", total)
    else:
        return None
    found = _pooled(program, workspace, Fold("add", element), lambda: Finish(value))
    return found or pooling.expand_lp_pooling(program, workspace)


def _mean(operator: Any, workspace: Workspace) -> Finish:
    """Sums divided by the number of their elements: one for all windows, or a table of them."""
    total = sums_of_floats()
    is_one = operator.include_padding or not any(slide.before or slide.after for slide in operator.slides)
    counts = np.asarray(window_sizes(np, operator.slides, is_one), np.float32)
    if is_one:
        return Finish(operation("divide", total, constant(float(counts), FLOAT32)))
    slot = workspace.constant(counts, "sizes of windows")
    table = Access(slot, DataType.FLOAT32, (0, 0, counts.shape[1], 1))
    return Finish(operation("divide", total, load(0, FLOAT32)), (table,))


def _pooled(program: Program, workspace: Workspace, fold: Fold, how: Callable[[], Finish]) -> list[Step] | None:
    operator: Any = program.operator
    source, nests = program.inputs[0], [nest for nest in program.outputs if nest is not None]
    if source is None or len(nests) != 1 or not has_kernel(operator.slides, source):
        return None
    return pooled(source, operator.slides, fold, nests[0], source.type, how(), workspace)


def pooled(
    source: View,
    slides: Sequence[Windows],
    fold: Fold,
    nest: Nest,
    output: DataType,
    how: Finish,
    workspace: Workspace,
) -> list[Step] | None:
    """Folds of windows in the last two of four dimensions, which go through a nest in a type of their own."""
    machine = host_machine()
    done = finish(nest, how, output, machine, workspace)
    if done is None:
        return None
    down, across = (_slide(slide, source.strides[2 + axis]) for axis, slide in enumerate(slides))
    if _is_along_lines(slides, source):
        step = _step(source, (down, across), PIXELS, done.epilogue(_by_rows, COLUMNS, True), fold)
        return [replace(step, machine=narrowed(machine, across.outputs)), *done.after]
    return [_step(source, (across, down), CHANNELS, done.epilogue(_by_pixels, COLUMNS, True), fold), *done.after]


def has_kernel(slides: Sequence[Windows], source: View) -> bool:
    """Whether these are images whose windows are small, and none lies on padding alone."""
    if source.type not in _TYPES or len(source.sizes) != _PLANE or all(slide.is_whole for slide in slides):
        return False
    reaches = [(slide.window - 1) * slide.dilation + 1 for slide in slides]
    if max(*reaches, prod(slide.window for slide in slides)) > _MOST_TAPS:
        return False
    if any(slide.inside(np).min() < 1 for slide in slides):
        return False
    is_ready = source.type is DataType.FLOAT32 or host_machine().has_half_floats
    return is_ready and (_is_along_lines(slides, source) or source.strides[1] == 1)


def _is_along_lines(slides: Sequence[Windows], source: View) -> bool:
    return source.strides[3] == 1 and slides[1].stride in (1, 2)


def _slide(slide: Windows, stride: int) -> Slide:
    return Slide(slide.size, slide.count, stride, -slide.before, slide.window, slide.stride, slide.dilation)


def _by_rows(access: Access) -> Place:
    """Seen from the images, channels, rows and pixels of the result."""
    image, channel, row, pixel = access.strides
    return Place(access.slot, access.type, access.offset, (image, channel), row, (0, 0, pixel))


def _by_pixels(access: Access) -> Place:
    """Seen from the images, rows, pixels and channels of the result."""
    image, channel, row, pixel = access.strides
    return Place(access.slot, access.type, access.offset, (image, row), pixel, (0, 0, channel))


def _step(source: View, axes: tuple[Slide, Slide], lanes_are: str, epilogue: Epilogue, fold: Fold) -> Depthwise:
    images, channels = source.sizes[:2]
    return Depthwise(
        source.access, source.sizes, None, (), *axes, images, channels, 1, lanes_are, epilogue, host_machine(), fold
    )
