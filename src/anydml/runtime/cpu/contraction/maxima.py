"""MAX_POOLING over images: the maxima of windows, as a depthwise convolution without a filter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.steps import Access, Program, Step, View
from anydml.operators.sliding import Slide as Windows
from anydml.runtime.cpu import pooling
from anydml.runtime.cpu.contraction.channelwise import narrowed
from anydml.runtime.cpu.contraction.depthwise import CHANNELS, MOST_TAPS, PIXELS, Depthwise, Slide
from anydml.runtime.cpu.contraction.epilogue import COLUMNS, Epilogue, Place
from anydml.runtime.cpu.contraction.machine import host_machine
from anydml.runtime.cpu.contraction.results import Finish, finish, sums_of_floats
from anydml.runtime.cpu.expand import Workspace

_TYPES = (DataType.FLOAT32, DataType.FLOAT16)
_PLANE = 4
"""Dimensions of a batch of images."""


def expand_max_pooling(program: Program, workspace: Workspace) -> list[Step] | None:
    """By a kernel of its own where lines or channels lie side by side; else as nests."""
    return _maxima(program, workspace) or pooling.expand_max_pooling(program, workspace)


def _maxima(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    source, nests = program.inputs[0], [nest for nest in program.outputs if nest is not None]
    if source is None or source.type not in _TYPES or len(source.sizes) != _PLANE or len(nests) != 1:
        return None
    slides = operator.slides
    if pooling.is_whole(operator) or not all(map(_is_plain, slides)) or slides[0].window * slides[1].window > MOST_TAPS:
        return None
    down, across = (_slide(slide, source.strides[2 + axis]) for axis, slide in enumerate(slides))
    is_line = source.strides[3] == 1 and across.step in (1, 2)
    if not is_line and source.strides[1] != 1:
        return None
    machine = host_machine()
    if source.type is DataType.FLOAT16 and not machine.has_half_floats:
        return None
    done = finish(nests[0], Finish(sums_of_floats()), source.type, machine, workspace)
    if done is None:
        return None
    if is_line:
        step = _step(source, (down, across), PIXELS, done.epilogue(_by_rows, COLUMNS, True))
        return [replace(step, machine=narrowed(machine, across.outputs)), *done.after]
    return [_step(source, (across, down), CHANNELS, done.epilogue(_by_pixels, COLUMNS, True)), *done.after]


def _is_plain(slide: Windows) -> bool:
    """Whether elements of windows follow one another, and no window lies on padding alone."""
    last = (slide.count - 1) * slide.stride - slide.before
    return slide.dilation == 1 and slide.before < slide.window and last < slide.size


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


def _step(source: View, axes: tuple[Slide, Slide], lanes_are: str, epilogue: Epilogue) -> Depthwise:
    images, channels = source.sizes[:2]
    return Depthwise(
        source.access, source.sizes, None, (), *axes, images, channels, 1, lanes_are, epilogue, host_machine()
    )
