"""GEMM: activation(alpha * A x B + beta * C) for each leading index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import MatrixTransform
from anydml.core.expression import FLOAT32, Node, cast, constant, load, operation
from anydml.core.orders import packed_strides
from anydml.core.steps import Access, Nest, Program, Step, View
from anydml.core.tracing import trace
from anydml.process.loading import load_module
from anydml.runtime.cpu.contraction.cells import FLOATS, Cells, Source
from anydml.runtime.cpu.contraction.epilogue import COLUMNS, Place
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, FEW_REGISTERS, Machine, host_machine
from anydml.runtime.cpu.contraction.panels import Matrix, Pack, Panels
from anydml.runtime.cpu.contraction.partition import (
    FEWEST_LANES,
    STREAMED_ROWS_OF_FAR,
    Work,
    cut,
    is_far,
    short_depth,
    tile_of,
    wanted_pieces,
)
from anydml.runtime.cpu.contraction.product import Operand, Packed, Product
from anydml.runtime.cpu.contraction.results import Finish, Finished, finish, sums_of_floats
from anydml.runtime.cpu.contraction.staged import ROOM_BYTES, StagedMatrix
from anydml.runtime.cpu.contraction.tile import Tile, short_block
from anydml.runtime.cpu.expand import Workspace

_FEW_ROWS = 16
"""So few rows do not pay for packing the other operand."""
_MOST_STREAMED = 8
"""Rows that are multiplied while the right operand passes by: each takes registers for its sums."""
_MANY_ROWS = 64
"""So many beside a few columns are read as if they were columns, where they are neighbours."""
_MANY_LANES = 128
"""With so many rows and columns, tiles of few rows read the right operand so often that packing it pays."""
_FEW_VECTORS, _FEW_COLUMNS = 4, 512
"""So few columns do not pay for packing the other operand; and so many, if its rows lie in order, where tiles have few
rows, which need as few pointers, or read as many vectors at once as they multiply."""
_MANY_COLUMNS, _ROWS_OF_BLOCKS, _DEEP = 512, 256, 1024
"""A right operand with at least so many columns, beside at most so many rows and of more depth, is packed a block of
depth at a time."""
_WIDEST_TILE = 64
"""Rows or columns of a tile whose operand chunks pack."""
_FAR_LEFT_BYTES = 8 << 20
"""A larger left operand does not stay in the caches: parts of it are read once, with all columns of the other."""


def expand_gemm(program: Program, workspace: Workspace) -> list[Step] | None:
    machine, operator = host_machine(), _operator(program)
    nest = program.outputs[0]
    a, b, c = program.inputs
    assert a is not None and b is not None and nest is not None
    if a.type is DataType.FLOAT16 and not machine.has_half_floats:
        return None
    activate = activation(operator.fused_activation)
    if operator.fused_activation is not None and activate is None:
        return None
    how = Finish(_value(operator, c), () if c is None else (c.access,), activate)
    done = finish(nest, how, a.type, machine, workspace)
    if done is None:
        return None
    left = matrix_of(a, rows_first=operator.trans_a is MatrixTransform.NONE)
    right = matrix_of(b, rows_first=operator.trans_b is MatrixTransform.TRANSPOSE)
    return [*multiply(Problem(left, right, batch_of(nest)), done, machine, workspace, place), *done.after]


def batch_of(nest: Nest) -> tuple[int, ...]:
    return (1,) * (4 - len(nest.sizes)) + nest.sizes[:-2]


def _operator(program: Program) -> Any:
    return program.operator


def activation(operator: Any) -> Any:
    """The formula of a fused activation; None where it has no formula."""
    if operator is None or operator.form != "formula":
        return None
    return lambda value: trace(operator.formula, [value])


def _value(operator: Any, c: View | None) -> Node:
    """alpha * sum + beta * C."""
    value = sums_of_floats()
    if operator.alpha != 1:
        value = operation("multiply", value, constant(operator.alpha, FLOAT32))
    if c is None:
        return value
    added = cast(load(0, c.type.numpy_dtype), FLOAT32)
    if operator.beta != 1:
        added = operation("multiply", constant(operator.beta, FLOAT32), added)
    return operation("add", value, added)


def matrix_of(view: View, rows_first: bool) -> Matrix:
    """The last two dimensions as lanes and depth."""
    lanes, depth = (-2, -1) if rows_first else (-1, -2)
    return Matrix(
        view.slot,
        view.type,
        view.offset,
        view.sizes[lanes],
        view.strides[lanes],
        (view.sizes[depth],),
        (view.strides[depth],),
        (1,) * (4 - len(view.sizes)) + view.sizes[:-2],
        _two(view.strides[:-2]),
    )


@dataclass(frozen=True)
class Problem:
    """A product of matrices."""

    left: Matrix
    right: Matrix
    batch: tuple[int, ...]
    cells: Cells = FLOATS

    @property
    def turned(self) -> Problem:
        """The same product of the transposed matrices, which gives the transposed result."""
        return Problem(self.right, self.left, self.batch, self.cells)


def multiply(
    problem: Problem, done: Finished, machine: Machine, workspace: Workspace, view: Callable[[Access, bool], Place]
) -> list[Step]:
    """The steps of a product. `view` sees an access from its loops, turned or not."""
    is_turned = _prefers_turned(problem, done, workspace)
    if is_turned:
        problem = problem.turned
    cells = problem.cells
    rows, columns, depth = problem.left.lanes, problem.right.lanes, cells.depth(problem.left.depth[0])
    epilogue = done.epilogue(lambda access: view(access, is_turned), COLUMNS, True)
    if _is_streamed(problem, workspace):
        before, left = _side_by_side(problem, workspace)
        sums = partial(workspace.temporary, name="sums")
        streamed = load_module("anydml.runtime.cpu.contraction.streamed")
        return [*before, *streamed.stream(left, problem.right, problem.batch, epilogue, machine, sums)]
    ways = choose_ways(problem, machine, workspace)
    has_short_blocks = _has_short_blocks(problem, ways, machine)
    at_once = short_block(depth) if has_short_blocks else depth
    tile = tile_of(machine, cells, (rows, columns, at_once), ways[0] is not Way.IN_PLACE, ways[1] is Way.IN_PLACE)
    panel = _as_panel(problem, tile.columns(machine), machine)
    if panel and ways[1] is not Way.IN_PLACE:
        ways = ways[0], Way.PACKED
    if ways[0] is Way.STAGED:
        tile = replace(tile, lines_ahead=1)  # of the right operand, which passes by
    if has_short_blocks:
        tile = replace(tile, has_short_blocks=True, is_blocked=True, stages_blocks=ways[1] is Way.STAGED)
    steps: list[Step] = []
    operands = [_operand(problem.left, ways[0], tile, tile.rows, steps, machine, workspace)]
    if panel and ways[1] is Way.PACKED:
        operands.append(panel)
    else:
        operands.append(_operand(problem.right, ways[1], tile, tile.columns(machine), steps, machine, workspace))
    work = Work(prod(problem.batch), rows, columns, depth, tile, machine)
    if ways[0] is not Way.IN_PLACE and ways[1] is Way.PACKED and _has_far_left(problem):
        chunks = cut(work, 0, ways[0] is Way.STAGED)
    else:
        chunks = cut(work, 1, ways[1] is Way.STAGED, ways[1] is not Way.IN_PLACE)
    product = Product(
        operands[0],
        operands[1],
        problem.batch,
        (rows, columns),
        (1, 1, columns),
        depth,
        tile,
        epilogue,
        tuple(chunks),
        machine,
    )
    return [*steps, product]


def _operand(
    matrix: Matrix, way: Way, tile: Tile, lanes: int, steps: list[Step], machine: Machine, workspace: Workspace
) -> Operand:
    """An operand as tiles get it; `steps` has what comes before."""
    if way is Way.IN_PLACE:
        return matrix
    source = Source(matrix.type, tile.cells)
    if way is Way.STAGED:
        block = tile.depth_block(source.cells.depth(matrix.depth[0])) if tile.stages_blocks else matrix.depth[0]
        return StagedMatrix(matrix, source, block)
    packed, step = pack(matrix, source, lanes, machine, workspace)
    steps.append(step)
    return packed


class Way(Enum):
    """How an operand gets to the tiles."""

    IN_PLACE = "in place"
    STAGED = "staged"
    """Each chunk packs its part."""
    PACKED = "packed"
    """A step before packs all of it: once, if it is constant."""


def choose_ways(problem: Problem, machine: Machine, workspace: Workspace) -> tuple[Way, Way]:
    left, right = problem.left, problem.right
    rows, columns, depth = left.lanes, right.lanes, left.depth[0]
    is_float = left.type is DataType.FLOAT32
    is_short = depth <= short_depth(machine)
    lefts = Way.PACKED
    if (
        is_float
        and not workspace.is_constant(left.slot)
        and (is_short or columns <= _columns_in_place(problem, machine))
    ):
        lefts = Way.IN_PLACE
    is_few = rows <= (STREAMED_ROWS_OF_FAR if is_far(depth, columns) else _FEW_ROWS)
    if is_float and is_few and not workspace.is_constant(left.slot):
        lefts = Way.IN_PLACE
    has_room = problem.cells.depth(depth) * _WIDEST_TILE * CELL_BYTES <= ROOM_BYTES - machine.vector_bytes**2
    if workspace.is_constant(right.slot):
        return lefts, Way.PACKED
    is_reread = machine.registers <= FEW_REGISTERS and min(rows, columns) >= _MANY_LANES
    if is_float and right.lane_stride == 1 and (is_few or (is_short and not is_reread)):
        return lefts, Way.IN_PLACE
    if lefts is Way.PACKED and _has_far_left(problem):
        return Way.PACKED if workspace.is_constant(left.slot) or not has_room else Way.STAGED, Way.PACKED
    return lefts, Way.STAGED if has_room and not _is_one_chunk(rows, columns, depth, machine) else Way.PACKED


def _columns_in_place(problem: Problem, machine: Machine) -> int:
    """Beside so many columns the left operand is read in place."""
    is_in_order = problem.left.depth_strides[-1] == 1 and not _has_far_left(problem)
    if is_in_order and (machine.registers <= FEW_REGISTERS or machine.has_two_units):
        return _FEW_COLUMNS
    return _FEW_VECTORS * machine.lanes


def _has_short_blocks(problem: Problem, ways: tuple[Way, Way], machine: Machine) -> bool:
    """Whether depth is walked in blocks that are short: what a tile reads of long rows in place stays in the nearest
    cache then, and a right operand is packed in long pieces of its rows."""
    if ways[0] is Way.IN_PLACE and ways[1] is not Way.IN_PLACE and machine.has_two_units:
        return problem.left.lanes > _FEW_ROWS and problem.left.depth[0] > short_depth(machine)
    return ways[1] is Way.STAGED and _has_long_pieces(problem)


def _has_long_pieces(problem: Problem) -> bool:
    """Whether a right operand of many columns is read in long pieces, because so few rows do not hide how slowly short
    ones come."""
    left, right = problem.left, problem.right
    is_wide = right.lanes >= _MANY_COLUMNS and right.lane_stride == 1
    return is_wide and problem.cells == FLOATS and left.lanes <= _ROWS_OF_BLOCKS and left.depth[0] > _DEEP


def _is_one_chunk(rows: int, columns: int, depth: int, machine: Machine) -> bool:
    """Whether one thread would do all if chunks packed the right operand: for few rows it is packed but once."""
    is_small = columns < _FEW_VECTORS * machine.lanes and _MANY_ROWS <= rows < 2 * FEWEST_LANES
    return is_small and wanted_pieces(rows * columns * depth) > 1


def _has_far_left(problem: Problem) -> bool:
    return problem.left.lanes * problem.cells.depth(problem.left.depth[0]) * CELL_BYTES > _FAR_LEFT_BYTES


def _prefers_turned(problem: Problem, done: Finished, workspace: Workspace) -> bool:
    """Whether rows of the result, and not columns, lie side by side in memory, or are many beside a few columns."""
    store = done.stores[0].strides
    rows, columns = problem.left.lanes, problem.right.lanes
    if rows > columns and (columns == 1 or _is_streamed(problem.turned, workspace)):
        return True
    if rows >= _MANY_ROWS and columns <= _FEW_ROWS and problem.left.lane_stride == 1:
        return problem.left.type is DataType.FLOAT32 and not workspace.is_constant(problem.left.slot)
    return store[-1] != 1 and store[-2] == 1 and problem.left.lanes > 1


def _is_streamed(problem: Problem, workspace: Workspace) -> bool:
    """Whether the right operand is read as it lies. What is constant is packed once, if more than a row reads it."""
    left, right = problem.left, problem.right
    if problem.cells != FLOATS or left.lanes > _MOST_STREAMED:
        return False
    if left.lanes > 1 and workspace.is_constant(right.slot):
        return False
    return bool(load_module("anydml.runtime.cpu.contraction.streamed").can_stream(left.lanes, right))


def _side_by_side(problem: Problem, workspace: Workspace) -> tuple[list[Step], Matrix]:
    """The left operand with steps in depth that are neighbours where those of the right one are: copied, if need be."""
    left = problem.left
    if problem.right.lane_stride == 1 or left.depth_strides[-1] == 1:
        return [], left
    once = left.once()
    strides = packed_strides(once.sizes)
    slot = workspace.temporary(prod(once.sizes) * left.type.element_bytes, "rows")
    copy = Nest.copy(once.sizes, once.access, Access(slot, left.type, strides))
    kept = iter(strides)
    batch_strides = [next(kept) if s != 0 and n > 1 else 0 for n, s in zip(left.batch, left.batch_strides, strict=True)]
    packed = replace(left, slot=slot, offset=0, lane_stride=strides[-2], depth_strides=(1,))
    return [copy], replace(packed, batch_strides=tuple(batch_strides))


def place(access: Access, is_turned: bool) -> Place:
    rows, columns = access.strides[-2:]
    if is_turned:
        rows, columns = columns, rows
    return Place(access.slot, access.type, access.offset, _two(access.strides[:-2]), rows, (0, 0, columns))


def _two(strides: tuple[int, ...]) -> tuple[int, ...]:
    return (0,) * (2 - len(strides)) + strides


def _as_panel(problem: Problem, width: int, machine: Machine) -> Packed | None:
    """The right operand as it lies, if packing would leave it so: as one panel, whose rows are whole vectors."""
    right = problem.right
    (depth,), (step,) = right.depth, right.depth_strides
    if right.type is not DataType.FLOAT32 or problem.cells != FLOATS or right.lane_stride != 1:
        return None
    if right.lanes != width or step != width:
        return None
    panels = Panels(right.lanes, width, depth, machine.lanes)
    strides = tuple(stride * CELL_BYTES for stride in right.batch_strides)
    reach = sum((count - 1) * stride for count, stride in zip(right.batch, strides, strict=True))
    return Packed(right.slot, panels, strides, reach + depth * panels.pitch_bytes, right.offset * CELL_BYTES)


def pack(matrix: Matrix, source: Source, width: int, machine: Machine, workspace: Workspace) -> tuple[Packed, Pack]:
    """A step that packs a matrix, for each index of the batch along which it changes."""
    once = matrix.once()
    cells = source.cells
    panels = Panels(matrix.lanes, width, prod(matrix.depth[:-1]) * cells.depth(matrix.depth[-1]), machine.lanes)
    batch_strides = []
    size = panels.size_in_bytes
    for count, stride in reversed(list(zip(matrix.batch, matrix.batch_strides, strict=True))):
        is_kept = stride != 0 and count > 1
        batch_strides.append(size if is_kept else 0)
        size *= count if is_kept else 1
    slot = workspace.temporary(size, "packed")
    step = Pack(once, source, panels, slot, machine)
    return Packed(slot, panels, tuple(reversed(batch_strides)), size), step
