"""CONVOLUTION as products: the filter times the windows of the input, for each image and group."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, Node, cast, load, operation
from anydml.core.steps import Access, Nest, Program, Step, View
from anydml.core.tensor import round_up
from anydml.process.loading import load_module
from anydml.runtime.cpu.contraction.cells import Cells, Source
from anydml.runtime.cpu.contraction.epilogue import COLUMNS, ROWS, Place
from anydml.runtime.cpu.contraction.filtered import Filtered, Three, three
from anydml.runtime.cpu.contraction.gemm import activation, pack
from anydml.runtime.cpu.contraction.indirect import IndirectWindows, gains_from_channels_last, is_read_indirectly
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, FEW_REGISTERS, LINE_BYTES, Machine, host_machine
from anydml.runtime.cpu.contraction.panels import Matrix
from anydml.runtime.cpu.contraction.partition import (
    Work,
    cost_of_rows,
    cut,
    ends_in_half,
    has_three_vectors,
    most_rows,
    short_depth,
    tile_height,
    tile_of,
)
from anydml.runtime.cpu.contraction.pointer_tiles import cut_beside_panels, pointer_tile
from anydml.runtime.cpu.contraction.product import Operand, Product
from anydml.runtime.cpu.contraction.results import Finish, Finished, finish, sums_of_floats
from anydml.runtime.cpu.contraction.staged import ROOM_BYTES, StagedMatrix
from anydml.runtime.cpu.contraction.tile import Tile
from anydml.runtime.cpu.contraction.windows import MOST_TAPS, SPATIAL
from anydml.runtime.cpu.expand import Workspace

_SHORTEST_LINE = 4
_STREAMED_BYTES = 32 << 20
"""Of results that are written past the caches: less is written so slowly, between sums, that it does not pay."""
_GATHERED_COST = 1.1
"""Windows that could be read where they lie take longer to gather."""
_COPIED_COST = 1.05
"""Images that are copied before they are read."""
_FIRST_SPATIAL = 2
_TURNED_COST, _SLOW_TURNED_COST = 1.02, 1.12
"""Results that are turned before they are stored take a little longer; more, where some lanes of a vector are stored
in parts, or products are so fast that stores of parts of lines are felt."""


def expand_convolution(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    machine, nest = host_machine(), program.outputs[0]
    x, weights, bias = program.inputs
    assert x is not None and weights is not None and nest is not None
    if operator.is_forward and any(operator.output_padding):
        return None
    if x.type is DataType.FLOAT16 and not machine.has_half_floats:
        return None
    if workspace.has_known_exceptions(weights):  # kernels would multiply them by the zeros of padding
        return None
    activate = activation(operator.fused_activation)
    if operator.fused_activation is not None and activate is None:
        return None
    loads = () if bias is None else (_spread(bias, nest),)
    done = finish(nest, Finish(_value(bias), loads, activate), x.type, machine, workspace)
    if done is None:
        return None
    if operator.is_forward:
        filtered = Filtered.of(operator, x, weights, nest)
        made = _convolve_forward(filtered, done, machine, workspace)
        return None if made is None else [*made, *done.after]
    phases = load_module("anydml.runtime.cpu.contraction.backward").split_backward(operator, x, weights, nest, done)
    steps: list[Step] = []
    for part, ended in phases or ():
        made = [part] if isinstance(part, Nest) else convolve(part, ended, machine, workspace)
        if made is None:
            return None
        steps += made
    return [*steps, *done.after] if steps else None


def _convolve_forward(filtered: Filtered, done: Finished, machine: Machine, workspace: Workspace) -> list[Step] | None:
    """By a kernel of its own, where filters read one channel each and there is such a kernel."""
    if filtered.windows.channels == 1:
        channelwise = load_module("anydml.runtime.cpu.contraction.channelwise")
        made: list[Step] | None = channelwise.convolve_depthwise(filtered, done, machine, workspace)
        if made is not None:
            return made
    return convolve(filtered, done, machine, workspace)


def _value(bias: View | None) -> Node:
    total = sums_of_floats()
    if bias is None:
        return total
    return operation("add", total, cast(load(0, bias.type.numpy_dtype), FLOAT32))


def _spread(bias: View, nest: Nest) -> Access:
    """A value for each channel, seen from the elements of the output."""
    strides = tuple(bias.strides[axis] if axis == 1 else 0 for axis in range(len(nest.sizes)))
    return replace(bias.access, strides=strides)


def convolve(filtered: Filtered, done: Finished, machine: Machine, workspace: Workspace) -> list[Step] | None:
    filtered = replace(filtered, windows=filtered.windows.joined())
    filters, pixels = filtered.weights.lanes, filtered.pixels
    cells: Cells = filtered.windows.source.cells
    is_turned = _prefers_turned(filtered, done, machine)
    places, folds = _places(done, filtered)
    operand = _rows_of(filtered, machine) if is_turned else _columns_of(filtered, machine)
    sizes = (pixels, filters) if is_turned else (filters, pixels)
    is_in_place = isinstance(operand, Matrix)
    rows = filtered.windows.rows
    is_indirect = isinstance(operand, IndirectWindows)
    height = _line_height(filtered, machine) if is_turned and not is_indirect else None
    in_place = is_turned and is_in_place, not is_turned and is_in_place
    if is_indirect and machine.has_two_units:
        tile = pointer_tile(machine, cells, prod(filtered.batch), (*sizes, rows))
    else:
        tile = tile_of(machine, cells, (*sizes, rows), not in_place[0], in_place[1], height)
    epilogue = done.epilogue(lambda access: places[access], ROWS if is_turned else COLUMNS, folds[:2] == (1, 1))
    tile = replace(tile, is_indirect=is_indirect)
    tile = replace(
        tile,
        is_blocked=tile.is_blocked and not is_indirect,
        adds_blocks=tile.is_blocked and is_indirect,
        lines_ahead=_lines_ahead(filtered, tile, machine) if is_turned else 1,
        skips_padding=height is not None,
        turns_results=not epilogue.is_vector and epilogue.turned.is_short and tile.rows <= machine.lanes,
    )
    width = tile.columns(machine)
    pitch = -(-tile.rows // machine.lanes) * machine.vector_bytes if is_turned else width * CELL_BYTES
    has_room = is_indirect or rows * pitch + machine.vector_bytes**2 <= ROOM_BYTES
    if not has_room or filtered.windows.tap_count > MOST_TAPS:
        return None
    packed, step = pack(
        filtered.weights,
        Source(filtered.weights.type, cells),
        width if is_turned else tile.rows,
        machine,
        workspace,
    )
    work = Work(prod(filtered.batch), *sizes, rows, tile, machine)
    most = operand.most_pixels(tile.rows) if isinstance(operand, IndirectWindows) else None
    if most is not None and machine.has_two_units:
        chunks = list(cut_beside_panels(work, most))
    else:
        chunks = list(cut(work, 0 if is_turned else 1, not is_in_place, not is_in_place, most))
    if isinstance(operand, IndirectWindows):
        sums = max(work.sums_bytes(chunk) for chunk in chunks)
        tile, operand = operand.finished(tile, packed.panels.panel_bytes, sums, machine)
        is_far = prod(filtered.batch) * pixels * filters * CELL_BYTES >= _STREAMED_BYTES
        tile = replace(tile, streams_results=tile.holds_results and is_far and epilogue.can_stream(machine))
    operands: tuple[Operand, Operand] = (operand, packed) if is_turned else (packed, operand)
    product = Product(*operands, filtered.batch, sizes, folds, rows, tile, epilogue, tuple(chunks), machine)
    return [step, product]


def _lines_ahead(filtered: Filtered, tile: Tile, machine: Machine) -> int:
    """Of the weights that come next. Those that stay in the second-level cache need not be asked for."""
    is_near = tile.is_indirect and machine.has_two_units and _has_near_weights(filtered, machine)
    return 0 if is_near else tile.vectors * machine.vector_bytes // LINE_BYTES


def _prefers_turned(filtered: Filtered, done: Finished, machine: Machine) -> bool:
    """Whether pixels are the rows of the product: what takes less time, turning results in registers included."""
    filters, pixels, lanes = filtered.weights.lanes, filtered.pixels, machine.lanes
    strides = done.stores[0].strides
    straight = _cost(filters, machine) * _vectors_of(pixels, machine)
    turned = (_line_cost(filtered, machine) or _cost(pixels, machine)) * _vectors_of(filters, machine)
    is_indirect = is_read_indirectly(filtered.windows, machine)
    is_quick = machine.stores_some and (is_indirect or not machine.has_two_units)
    cost_of_turning = _TURNED_COST if is_quick else _SLOW_TURNED_COST
    if filters > lanes and ends_in_half(filters, machine) and isinstance(_rows_of(filtered, machine), Matrix):
        return True  # fewer take longer to read than to multiply
    if is_indirect:
        straight *= _GATHERED_COST
    if pixels > 1 and strides[-1] != 1:
        straight *= cost_of_turning
    if filters > 1 and strides[1] != 1:
        turned *= cost_of_turning
    # Equal costs: where channels of the result lie side by side, so do those of the weights.
    return turned < straight or (turned == straight and strides[1] == 1)


def gains_from_copy(operator: Any) -> bool:
    """Whether a convolution is faster on a copy of its input that has the channels of each pixel side by side: then an
    element is gathered once, not for every tap, if pixels are the rows of the product."""
    if not gains_from_channels_last(operator) or prod(operator.filter_tensor.sizes[_FIRST_SPATIAL:]) == 1:
        return False
    machine, sizes = host_machine(), operator.filter_tensor.sizes
    filters = sizes[0] // operator.group_count if operator.is_forward else sizes[1]
    pixels = prod(operator.output_tensor.sizes[_FIRST_SPATIAL:])
    straight = _cost(filters, machine) * _vectors_of(pixels, machine) * _GATHERED_COST
    return straight > _cost(pixels, machine) * _vectors_of(filters, machine) * _TURNED_COST * _COPIED_COST


def _vectors_of(columns: int, machine: Machine) -> int:
    """Vectors of all tiles: some machines' have two each, if not three."""
    vectors = -(-columns // machine.lanes)
    has_two = machine.registers <= FEW_REGISTERS or machine.has_two_units
    return round_up(vectors, 2) if has_two and not has_three_vectors(columns, machine) else vectors


def _cost(rows: int, machine: Machine) -> float:
    return cost_of_rows(rows, tile_height(rows, most_rows(machine)))


def _line_cost(filtered: Filtered, machine: Machine) -> float | None:
    """The cost of pixels as rows if a tile is a line; None where that is not better than other tiles."""
    windows = filtered.windows
    width, fraction = windows.pixels[2], windows.fraction_read()
    if width > most_rows(machine) or width < _SHORTEST_LINE or fraction == 1:
        return None
    cost = cost_of_rows(filtered.pixels, width) * fraction
    return cost if cost < _cost(filtered.pixels, machine) else None


def _line_height(filtered: Filtered, machine: Machine) -> int | None:
    """The width of a line, where tiles are lines because they leave out taps on padding."""
    return None if _line_cost(filtered, machine) is None else filtered.windows.pixels[2]


def _places(done: Finished, filtered: Filtered) -> tuple[dict[Access, Place], Three]:
    """Every access of the epilogue seen from the product: spatial loops that follow one another in memory are one."""
    filters = filtered.weights.lanes
    accesses = (*done.loads, *done.stores)
    sizes: list[int] = []
    spatial: list[list[int]] = [[] for _ in accesses]
    strides = [three(access.strides[2:], 0) for access in accesses]
    for axis in reversed(range(SPATIAL)):
        size, steps = filtered.windows.pixels[axis], [each[axis] for each in strides]
        if size == 1:
            continue
        if sizes and all(step == sizes[0] * kept[0] for step, kept in zip(steps, spatial, strict=True)):
            sizes[0] *= size
            continue
        sizes.insert(0, size)
        for step, kept in zip(steps, spatial, strict=True):
            kept.insert(0, step)
    places = {
        access: Place(
            access.slot,
            access.type,
            access.offset,
            (access.strides[0], filters * access.strides[1]),
            access.strides[1],
            three(kept, 0),
        )
        for access, kept in zip(accesses, spatial, strict=True)
    }
    return places, three(sizes, 1)


def _columns_of(filtered: Filtered, machine: Machine) -> Operand:
    """The windows, a column for each pixel: where they are the pixels of the input, that itself."""
    matrix = _pixels_of(filtered)
    if matrix is None:
        return filtered.windows
    if _is_read_in_place(matrix, machine) and matrix.lane_stride == 1:
        return matrix
    return StagedMatrix(matrix, filtered.windows.source, matrix.depth[0])


def _rows_of(filtered: Filtered, machine: Machine) -> Operand:
    """The windows, a row for each pixel."""
    matrix = _pixels_of(filtered)
    if matrix is not None and not (_is_read_in_place(matrix, machine) and matrix.depth_strides == (1,)):
        matrix = None
    is_near = machine.has_two_units and _has_near_weights(filtered, machine)
    if is_read_indirectly(filtered.windows, machine) and not (matrix and is_near):
        return IndirectWindows(filtered.windows.merged())
    return matrix or filtered.windows.merged()


def _has_near_weights(filtered: Filtered, machine: Machine) -> bool:
    """Whether all weights stay in the second-level cache, in any order: then pointers would gain nothing."""
    return filtered.weights.lanes * filtered.windows.rows * CELL_BYTES <= machine.second_level_bytes // 2


def _is_read_in_place(matrix: Matrix, machine: Machine) -> bool:
    return matrix.type is DataType.FLOAT32 and matrix.depth[0] <= short_depth(machine)


def _pixels_of(filtered: Filtered) -> Matrix | None:
    """The input, where windows of one tap meet each of its pixels once."""
    windows = filtered.windows
    stride = windows.pixel_stride
    if stride is None:
        return None
    return Matrix(
        windows.slot,
        windows.type,
        windows.offset,
        filtered.pixels,
        stride,
        (windows.channels,),
        (windows.channel_stride,),
        windows.batch,
        windows.batch_strides,
    )
