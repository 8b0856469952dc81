"""Depthwise convolutions planned: which layouts have direct kernels."""

from __future__ import annotations

from dataclasses import replace

from anydml.core.datatype import DataType
from anydml.core.steps import Access, Step
from anydml.runtime.cpu.contraction.cells import FLOATS, Source
from anydml.runtime.cpu.contraction.depthwise import CHANNELS, MOST_TAPS, PIXELS, PLANES, Depthwise, Slide
from anydml.runtime.cpu.contraction.epilogue import COLUMNS, Epilogue, Place
from anydml.runtime.cpu.contraction.filtered import Filtered, three
from anydml.runtime.cpu.contraction.gemm import pack
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, Machine
from anydml.runtime.cpu.contraction.planes import fits_planes
from anydml.runtime.cpu.contraction.results import Finished
from anydml.runtime.cpu.expand import Workspace

LEAST_VECTOR_BYTES = 16


def convolve_depthwise(filtered: Filtered, done: Finished, machine: Machine, workspace: Workspace) -> list[Step] | None:
    """The steps of a convolution whose filters read one channel each; None where it has no direct kernel."""
    if not _is_depthwise(filtered):
        return None
    down, across = (_slide(filtered, axis) for axis in (1, 2))
    if across.stride == 1 and across.step in (1, 2):
        return [_over_pixels(filtered, done, machine, down, across)]
    if filtered.windows.batch_strides[1] == 1 and filtered.weights.lanes == 1:
        return _over_channels(filtered, done, machine, workspace, (down, across))
    return None


def _is_depthwise(filtered: Filtered) -> bool:
    windows = filtered.windows
    is_plane = windows.taps[0] == windows.sizes_read[0] == windows.pixels[0] == 1 and windows.starts[0] == 0
    is_short = windows.channels == 1 and max(windows.taps) <= MOST_TAPS
    return is_plane and is_short


def _slide(filtered: Filtered, axis: int) -> Slide:
    windows = filtered.windows
    return Slide(
        windows.sizes_read[axis],
        windows.pixels[axis],
        windows.strides[axis],
        windows.starts[axis],
        windows.taps[axis],
        windows.steps[axis],
        windows.dilations[axis],
    )


def _channel_stride(filtered: Filtered) -> int:
    """Of the filter, from output channel to output channel."""
    weights = filtered.weights
    return weights.lane_stride if weights.lanes > 1 else weights.batch_strides[1]


def narrowed(machine: Machine, pixels: int) -> Machine:
    """With vectors half as long where half of the lanes would have no pixel."""
    if pixels * 2 <= machine.lanes and machine.vector_bytes > LEAST_VECTOR_BYTES:
        return replace(machine, vector_bytes=machine.vector_bytes // 2)
    return machine


def _over_pixels(filtered: Filtered, done: Finished, machine: Machine, down: Slide, across: Slide) -> Depthwise:
    weights = filtered.weights
    strides = (_channel_stride(filtered), *weights.depth_strides[1:3])
    filters = Access(weights.slot, weights.type, strides, weights.offset)
    sizes = (filtered.batch[1] * weights.lanes, down.taps, across.taps)

    def place(access: Access) -> Place:
        row, pixel = three(access.strides[2:], 0)[1:]
        return Place(access.slot, access.type, access.offset, access.strides[:2], row, (0, 0, pixel))

    epilogue = done.epilogue(place, COLUMNS, True)
    if fits_planes(down, across, epilogue, machine):
        return _depthwise(filtered, (filters, sizes), (down, across), PLANES, epilogue, machine)
    machine = narrowed(machine, across.outputs)
    return _depthwise(filtered, (filters, sizes), (down, across), PIXELS, epilogue, machine)


def _over_channels(
    filtered: Filtered, done: Finished, machine: Machine, workspace: Workspace, axes: tuple[Slide, Slide]
) -> list[Step]:
    down, across = axes
    weights = filtered.weights
    matrix = replace(
        weights,
        lanes=filtered.batch[1],
        lane_stride=_channel_stride(filtered),
        depth=weights.depth[1:3],
        depth_strides=weights.depth_strides[1:3],
        batch=(),
        batch_strides=(),
    )
    packed, packing = pack(matrix, Source(weights.type, FLOATS), machine.lanes, machine, workspace)
    strides = (packed.panels.panel_bytes // CELL_BYTES, machine.lanes, across.taps * machine.lanes)
    filters = Access(packed.slot, DataType.FLOAT32, strides)
    sizes = (packed.panels.count, across.taps, down.taps)

    def place(access: Access) -> Place:
        image, channel = access.strides[:2]
        row, pixel = three(access.strides[2:], 0)[1:]
        return Place(access.slot, access.type, access.offset, (image, row), pixel, (0, 0, channel))

    epilogue = done.epilogue(place, COLUMNS, True)
    return [packing, _depthwise(filtered, (filters, sizes), (across, down), CHANNELS, epilogue, machine)]


def _depthwise(
    filtered: Filtered,
    filters: tuple[Access, tuple[int, ...]],
    axes: tuple[Slide, Slide],
    lanes_are: str,
    epilogue: Epilogue,
    machine: Machine,
) -> Depthwise:
    windows, (images, groups) = filtered.windows, filtered.batch
    return Depthwise(
        Access(windows.slot, windows.type, (*windows.batch_strides, *windows.strides[1:]), windows.offset),
        (images, groups, *windows.sizes_read[1:]),
        *filters,
        *axes,
        images,
        groups * filtered.weights.lanes,
        filtered.weights.lanes,
        lanes_are,
        epilogue,
        machine,
    )
